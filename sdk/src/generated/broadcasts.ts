// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { MailCounts, MailPoint } from './shared.ts'

export type Broadcast = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** With Liquid. */
  subject: string
  /** Null: that of the integration. */
  fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */
  fromEmail: string | null
  /** The integration it is sent through. Null: the default. */
  integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */
  topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */
  segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds: Array<string>
  status: Open<'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>
  /** When it starts by itself. */
  scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */
  localTime: string | null
  /** The zone of contacts that have none. */
  localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */
  sentAt: string | null
  /** Why a failed one was not sent to anybody. */
  failure: string | null
  createdAt: string
  updatedAt: string
  /** MJML or HTML, with Liquid. */
  body: string
  /** The plain text part, with Liquid. Null: made of the body. */
  text: string | null
}

export type BroadcastAudienceBody = {
  /** The one segment it goes to; null: every contact with an address. */
  segmentId?: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds?: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds?: Array<string>
}

export type BroadcastBody = {
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** With Liquid. */
  subject?: string
  /** Null: that of the integration. */
  fromName?: string | null
  /** An address at a verified sending domain. Null: that of the integration. */
  fromEmail?: string | null
  /** MJML or HTML, with Liquid. */
  body?: string
  /** The plain text part, with Liquid. Null: made of the body. */
  text?: string | null
  /** The integration it is sent through. Null: the default. */
  integrationId?: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */
  topicId?: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */
  segmentId?: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds?: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds?: Array<string>
}

export type BroadcastChange = {
  /** Your name for it; recipients do not see it. Trimmed. */
  name?: string
  /** With Liquid. */
  subject?: string
  /** Null: that of the integration. */
  fromName?: string | null
  /** An address at a verified sending domain. Null: that of the integration. */
  fromEmail?: string | null
  /** MJML or HTML, with Liquid. */
  body?: string
  /** The plain text part, with Liquid. Null: made of the body. */
  text?: string | null
  /** The integration it is sent through. Null: the default. */
  integrationId?: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */
  topicId?: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */
  segmentId?: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds?: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds?: Array<string>
}

export type BroadcastCounts = {
  /** The audience, frozen when it started; 0 until then. Always the sum of the next six. */
  recipientsTotal: number
  /** Still to be sent. */
  pendingCount: number
  /** Accepted by the mail server or provider. */
  acceptedCount: number
  /** Failed for good. */
  failedCount: number
  /** On the list of addresses that must not be mailed. */
  suppressedCount: number
  /** Not mailed although nothing failed: unsubscribed, without address, canceled. */
  skippedCount: number
  /** Handed over without an answer: nobody can know. */
  uncertainCount: number
  /** Messages opened by people. */
  openedCount: number
  /** Messages with a link clicked by people. */
  clickedCount: number
  /** Messages whose reader has unsubscribed through them. */
  unsubscribedCount: number
  /** Messages that came back. */
  bouncedCount: number
  /** Messages that were reported as spam. */
  complainedCount: number
}

export type BroadcastExplanation = {
  /** Why it is where it is, in one sentence. */
  summary: string
  status: Open<'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>
  /** Why its messages wait although it is being sent. Null while they go. */
  holdReason: Open<'no_integration' | 'integration_disabled' | 'unverified_domain' | 'credentials_refused' | 'server_unreachable' | 'daily_limit'> | null
  recipientsTotal: number
  /** How many of them are in the ledger. */
  plannedCount: number
  pendingCount: number
  /** Messages that are being handed over right now. */
  handingCount: number
  /** When the next waiting message is due. */
  nextDueAt: string | null
  findings: Array<BroadcastFinding>
}

export type BroadcastFinding = {
  /** The thing that was looked at. */
  subject: Open<'status' | 'planning' | 'recipients' | 'sender' | 'limits' | 'receivers' | 'queue' | 'lanes' | 'attempts' | 'sum'>
  /** Whether it lets the broadcast go, stops it until somebody does something, or only makes it slower. */
  verdict: Open<'passes' | 'stops' | 'delays' | 'tells'>
  /** For a person. */
  detail: string
  /** Until when, or since. */
  at: string | null
}

export type BroadcastHeatMap = {
  subject: string
  /** The mail as a person got it. The address of each link that is counted is `link:` and its position. */
  html: string
  /** In the order of the template: those of this mail, and those that were clicked in another’s. */
  links: Array<{
    /** Of the link in the template, from 0. */
    position: number
    /** Where it leads this person; of one that they did not get, where it led the last time. */
    url: string
    /** Whether it is in the mail as this person got it. */
    isShown: boolean
    /** Clicks of people. */
    clickCount: number
    /** Messages in which people clicked it. */
    clickedCount: number
    /** Clicks of machines, which are in no other number. */
    machineClickCount: number
  }>
}

export type BroadcastListItem = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** With Liquid. */
  subject: string
  /** Null: that of the integration. */
  fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */
  fromEmail: string | null
  /** The integration it is sent through. Null: the default. */
  integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */
  topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */
  segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds: Array<string>
  status: Open<'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>
  /** When it starts by itself. */
  scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */
  localTime: string | null
  /** The zone of contacts that have none. */
  localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */
  sentAt: string | null
  /** Why a failed one was not sent to anybody. */
  failure: string | null
  createdAt: string
  updatedAt: string
  counts: BroadcastCounts
}

export type BroadcastListItemPage = {
  items: Array<BroadcastListItem>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type BroadcastPreflight = {
  /** Whether nothing keeps it from being sent. */
  ready: boolean
  /** `updatedAt` of the broadcast as it was looked at: `send` and `schedule` take it as `expectedUpdatedAt`. */
  updatedAt: string
  /** Names of those it goes to. One that is no more is not there. */
  audience: {
    /** None: every contact with an address. */
    segments: Array<{
      id: string
      name: string
    }>
    excludedSegments: Array<{
      id: string
      name: string
    }>
    topic: {
      id: string
      name: string
    } | null
  }
  /** The findings, errors first. */
  checks: Array<PreflightCheck>
  /** How many contacts its audience has now. Null when they could not be counted in time. */
  recipientsCount: number | null
  /** Who of its audience would get it if it were sent now. Null when that took too long to find out. */
  forecast: {
    /** How many of them would get it. */
    sendCount: number
    /** Who would not, by why; the most first. With `sendCount` they sum up to `recipientsCount`. */
    skips: Array<{
      state: Open<'skipped' | 'suppressed'>
      /** As in the report. */
      reason: string
      /** The rule that stands against it. */
      rule: Open<'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent'> | null
      count: number
    }>
  } | null
  /** Size of the HTML part for a sample person, as it goes out: with its tracked links. */
  htmlBytes: number | null
}

export type BroadcastRecipient = {
  messageId: string
  /** Null when the contact was erased. */
  contactId: string | null
  /** Empty when the contact has no address, or was erased. */
  destination: string
  /** As the report counts it. The status of a message calls `pending` `queued` and `accepted` `sent`. */
  state: Open<'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'>
  /** Why, for every state but pending and accepted. */
  reason: string | null
  /** The rule that has refused the message. */
  rule: Open<'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent'> | null
  attempts: number
  /** The last reply of the server. */
  reply: string | null
  settledAt: string | null
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export type BroadcastRecipientExplanation = {
  contactId: string
  /** The message to them; null while, or because, there is none. */
  messageId: string | null
  /** Whether they get it, as things stand. */
  wouldGet: boolean
  /** The rule that stands against it. */
  rule: Open<'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent'> | null
  /** In one sentence. */
  summary: string
  findings: Array<{
    /** The thing that was looked at: the last ones are those of a message. */
    subject: Open<'audience' | 'exclusion' | 'rules' | 'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'proof' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'>
    verdict: Open<'passes' | 'stops' | 'delays' | 'tells'>
    detail: string
  }>
}

export type BroadcastRecipientList = {
  items: Array<BroadcastRecipient>
  /** Absent on the last page. A page of a rare kind may have fewer items, or none, before it. */
  nextCursor?: string
}

export type BroadcastReport = {
  status: Open<'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>
  /** Why its messages wait although it is being sent. Null while they go. */
  holdReason: Open<'no_integration' | 'integration_disabled' | 'unverified_domain' | 'credentials_refused' | 'server_unreachable' | 'daily_limit'> | null
  /** The audience, frozen when it started; 0 until then. */
  recipientsTotal: number
  /** Still to be sent. */
  pendingCount: number
  /** Accepted by the mail server or provider. */
  acceptedCount: number
  failedCount: number
  /** On the list of addresses that must not be mailed. */
  suppressedCount: number
  /** Not mailed although nothing failed: unsubscribed, without address, canceled. */
  skippedCount: number
  /** Handed over without an answer: nobody can know. `resolve-uncertain` decides. */
  uncertainCount: number
  /** Whether the ledger has as many messages as recipients were planned, and the counts sum up to the total. */
  addsUp: boolean
  /** Messages opened by people. */
  openedCount: number
  /** Messages with a link clicked by people. */
  clickedCount: number
  unsubscribedCount: number
  bouncedCount: number
  complainedCount: number
  /** `openedCount` by `acceptedCount`, 0 to 1. */
  openRate: number
  /** `clickedCount` by `acceptedCount`, 0 to 1. */
  clickRate: number
  /** Messages whose picture a machine fetched: a proxy of the mailbox, a scanner. */
  machineOpenedCount: number
  /** Messages with a link that a machine followed. */
  machineClickedCount: number
  /** Links that were clicked, in the order of the template. */
  links: Array<{
    /** Of the link in the template, from 0. */
    position: number
    /** Where it led the last time: of a personal link one of many. */
    url: string
    /** Clicks of people. */
    clickCount: number
    /** Messages in which people clicked it. */
    clickedCount: number
    machineClickCount: number
  }>
  /** By what the receivers’ replies mean. */
  failedByReason: Array<{
    reason: string
    count: number
  }>
  /** bounce, complaint, manual. */
  suppressedByReason: Array<{
    reason: string
    count: number
  }>
  /** Why they were not mailed. */
  skippedByReason: Array<{
    reason: string
    count: number
  }>
  /** Messages lost before the answer. */
  uncertainByReason: Array<{
    reason: string
    count: number
  }>
  startedAt: string | null
  /** When it was sent, canceled or failed. */
  endedAt: string | null
  /** Until when it is known who has opened it: so long it can be drafted again for those who have not. Null before it starts. */
  openersKnownUntil: string | null
}

export type BroadcastResolveBody = {
  /** `sent`: take them for accepted. `retry`: send them again; some may arrive twice. */
  as: 'sent' | 'retry'
}

export type BroadcastScheduleBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */
  expectedCount?: number
  /** `updatedAt` of the broadcast that somebody has looked at: when it was changed since, nothing happens and the answer is 409. */
  expectedUpdatedAt?: string
  /** When it starts: a time to come. */
  scheduledAt?: string
  /** Instead: a date and time without zone, at which it is due to each contact in its own zone. */
  localTime?: string
  /** With `localTime`: the IANA zone of contacts that have none. UTC when absent. */
  timeZone?: string
}

export type BroadcastSendBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */
  expectedCount?: number
  /** `updatedAt` of the broadcast that somebody has looked at: when it was changed since, nothing happens and the answer is 409. */
  expectedUpdatedAt?: string
}

export type BroadcastSummary = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** With Liquid. */
  subject: string
  /** Null: that of the integration. */
  fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */
  fromEmail: string | null
  /** The integration it is sent through. Null: the default. */
  integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */
  topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */
  segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */
  segmentIds: Array<string>
  /** Contacts in one of these are left out. */
  excludedSegmentIds: Array<string>
  status: Open<'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'>
  /** When it starts by itself. */
  scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */
  localTime: string | null
  /** The zone of contacts that have none. */
  localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */
  sentAt: string | null
  /** Why a failed one was not sent to anybody. */
  failure: string | null
  createdAt: string
  updatedAt: string
}

export type BroadcastTestSendBody = {
  /** Where it goes. */
  email: string
  /** Further addresses, each of which gets a mail of its own. One that is given twice gets one. */
  alsoTo?: Array<string>
  /** The contact it is rendered for; needs `contacts:read`. Without: a sample person. */
  contactId?: string
  /** Refused unless each address is that of a member of the workspace. */
  toMembersOnly?: boolean
}

export type BroadcastUnopenedBody = {
  /** Whether mail that a machine alone has opened, as privacy proxies do, counts as opened too. Absent: no, as nobody may have read it. */
  machineOpensCount?: boolean
}

export type MailSeries = {
  /** The beginning of the first hour or day. */
  from: string
  /** Its end; the last hour or day may go beyond it. */
  to: string
  interval: Open<'hour' | 'day'>
  /** The zone of the days. */
  timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */
  series: Array<MailPoint>
  totals: MailCounts
}

export type PreflightCheck = {
  /** Stable: branch on this. */
  code: Open<'subject_missing' | 'body_missing' | 'content_faulty' | 'content_warning' | 'render_failed' | 'unsubscribe_missing' | 'unknown_field' | 'no_integration' | 'integration_disabled' | 'unverified_domain' | 'workspace_unnamed' | 'segment_invalid' | 'audience_empty' | 'audience_skipped' | 'audience_uncounted' | 'link_broken' | 'link_insecure' | 'link_unanswered' | 'message_large' | 'text_missing' | 'spam_words' | 'postal_address_missing'>
  /** An error keeps it from being sent. */
  severity: Open<'error' | 'warning'>
  /** The field at fault. */
  field: string | null
  /** The line of the field, from 1. */
  line: number | null
  /** For a person. */
  detail: string
}

export interface BroadcastsOperations {
  /** Cancel a broadcast. For good: whoever was not written to yet is skipped with the reason `canceled`. Needs the scope `broadcasts:send`. */
  cancel(id: string, options?: PostOptions): Promise<BroadcastSummary>

  /** Create a broadcast. Creates a draft. It may be incomplete: `GET /broadcasts/{id}/preflight` says what keeps it from being sent. Without `segmentId` and `segmentIds` it goes to every contact with an address. Needs the scope `broadcasts:write`. */
  create(body: BroadcastBody, options?: PostOptions): Promise<Tagged<Broadcast>>

  /** Delete a broadcast. Only a draft, or one that failed before anybody was written to; otherwise 409. Needs the scope `broadcasts:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Draft a broadcast again for those who have not opened it. A draft with the same content, to a segment of those whose mail was taken, did not come back, and was neither opened nor clicked by a person. They are determined when it is sent. Needs `segments:write`; only of a broadcast that was sent, and as long as events are kept, otherwise 409. Needs the scope `broadcasts:write`. */
  draftForUnopened(id: string, body?: BroadcastUnopenedBody, options?: PostOptions): Promise<Tagged<Broadcast>>

  /** Explain where a broadcast stands. Why it does not move, or not faster: its schedule, planning, sender, limits, pauses that receivers asked for, what waits and who is to send it. `./postroom broadcast explain <id>` prints the same. Needs the scope `broadcasts:read`. */
  explain(id: string, options?: Options): Promise<BroadcastExplanation>

  /** Explain why a contact got a broadcast, did not, or would. Of one that was sent as `GET /messages/{id}/explain`; before that, whether the contact is in its audience, and what stands against mailing them. Needs the scope `broadcasts:read`. */
  explainRecipient(id: string, contactId: string, options?: Options): Promise<BroadcastRecipientExplanation>

  /** Download the recipients of a broadcast. All that the filters let through, as CSV, in the order they were planned. Taking it is recorded as `broadcast.export_recipients`. Needs the scope `broadcasts:read`. */
  exportRecipients(id: string, query?: {
    /** Only those of whom a person clicked the link at this position (`links` of the report). */
    link?: number
    state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
    /** Only those with this reason. */
    reason?: string
    /** Only those of whom this came back. */
    mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
    /** Only this contact. */
    contactId?: string
    /** Only this address. */
    destination?: string
  }, options?: Options): Promise<Response>

  /** Read a broadcast. As it was written. How its sending goes is in `GET /broadcasts/{id}/report`. Needs the scope `broadcasts:read`. */
  get(id: string, options?: Options): Promise<Tagged<Broadcast>>

  /** Read where people clicked in the mail of a broadcast. The mail as a contact or a sample person got it, and the clicks of each of its links: those of people, and apart from them those of machines. Needs the scope `broadcasts:read`. */
  heatMap(id: string, query?: {
    /** As whom it is shown, which needs the scope contacts:read; else a sample person. */
    contactId?: string
  }, options?: Options): Promise<BroadcastHeatMap>

  /** List broadcasts. Without `body` and `text`, with `counts` of one moment: they sum up, also while mail goes out. `totalItems` is exact. Needs the scope `broadcasts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Ascending by id when absent; `-id`: newest first. */
    sort?: 'id' | '-id'
    status?: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
    /** Only those whose name contains this text. */
    search?: string
  }, options?: Options): List<BroadcastListItemPage>

  /** Pause a broadcast. Nothing more of it goes out; what is being handed over right now comes to its end. Needs the scope `broadcasts:send`. */
  pause(id: string, options?: PostOptions): Promise<BroadcastSummary>

  /** Check a broadcast before it is sent. Faults that keep it from being sent (errors), and facts to know before (warnings): its sender, audience, template, links, size, text part, words that filters look for. Needs the scope `broadcasts:read`. */
  preflight(id: string, query?: {
    /** Asks the servers behind its links, 20 at most, whether they answer. */
    checkLinks?: boolean
  }, options?: Options): Promise<BroadcastPreflight>

  /** List the recipients of a broadcast. Person by person, in the order they were planned. Needs the scope `broadcasts:read`. */
  recipients(id: string, query?: {
    /** Only those of whom a person clicked the link at this position (`links` of the report). */
    link?: number
    state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
    /** Only those with this reason. */
    reason?: string
    /** Only those of whom this came back. */
    mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
    /** Only this contact. */
    contactId?: string
    /** Only this address. */
    destination?: string
    /** The `nextCursor` of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<BroadcastRecipientList>

  /** Read the report of a broadcast. The fates of its recipients, counted at one moment: `recipientsTotal` is always the sum of pending, accepted, failed, suppressed, skipped and uncertain. Opens and clicks are those of people; machines are told apart. Needs the scope `broadcasts:read`. */
  report(id: string, options?: Options): Promise<BroadcastReport>

  /** Decide on messages whose fate nobody knows. Those that were handed over without an answer. 409 when there are none. Needs the scope `broadcasts:send`. */
  resolveUncertain(id: string, body: BroadcastResolveBody, options?: PostOptions): Promise<BroadcastSummary>

  /** Resume a broadcast. It goes on where it was paused. Needs the scope `broadcasts:send`. */
  resume(id: string, options?: PostOptions): Promise<BroadcastSummary>

  /** Send failed messages again. Only messages that failed; each keeps its Message-ID. People who must not be mailed by now are dropped. 409 when none failed. Needs the scope `broadcasts:send`. */
  retryFailed(id: string, options?: PostOptions): Promise<BroadcastSummary>

  /** Schedule a broadcast. Has it start by itself at `scheduledAt`; or, with `localTime`, be due to each contact when that time comes to its own zone (whose it has passed by then is written to at once). One that is scheduled gets another time. Needs the scope `broadcasts:send`. */
  schedule(id: string, body: BroadcastScheduleBody, options?: PostOptions): Promise<BroadcastSummary>

  /** Send a broadcast. Starts it now. Its audience is frozen as it is, and each of it gets an outcome. Errors that the preflight finds are answered 422; a broadcast that is no draft any more 409. Needs the scope `broadcasts:send`. */
  send(id: string, body?: BroadcastSendBody, options?: PostOptions): Promise<BroadcastSummary>

  /** Read how a broadcast went, hour by hour. By hour (of 32 days at most) or day (of 400), `hour` when not said; without `from` and `to` the first week. Its sums are those of the report where it covers all the time since. Needs the scope `broadcasts:read`. */
  series(id: string, query?: {
    /** Taken back to the beginning of its hour or day. */
    from?: string
    /** Now when absent. */
    to?: string
    /** Absent: `day` of a workspace, `hour` of a broadcast. */
    interval?: 'hour' | 'day'
    /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */
    timeZone?: string
  }, options?: Options): Promise<MailSeries>

  /** Say to whom a broadcast goes. To the contacts of any of the segments, without those of the excluded ones. They are determined when it starts. Only a draft changes; otherwise 409. Needs the scope `broadcasts:write`. */
  setAudience(id: string, body: BroadcastAudienceBody, options?: GuardedOptions): Promise<Tagged<Broadcast>>

  /** Send a test of a broadcast. To an address, or ten at most, as it is now, its subject beginning with “[Test]”. It goes through the default integration, counts nowhere, and its links to unsubscribe stop nothing. Needs the scope `broadcasts:send`. */
  testSend(id: string, body: BroadcastTestSendBody, options?: PostOptions): Promise<void>

  /** Take a broadcast back from its schedule. It is a draft again. So becomes one that failed before anybody was written to. Needs the scope `broadcasts:send`. */
  unschedule(id: string, options?: PostOptions): Promise<BroadcastSummary>

  /** Change a broadcast. Absent fields stay, null clears. Only a draft changes; otherwise 409. Needs the scope `broadcasts:write`. */
  update(id: string, body: BroadcastChange, options?: GuardedOptions): Promise<Tagged<Broadcast>>
}
