// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Permission =
  | 'contacts:read'
  | 'contacts:write'
  | 'contacts:erase'
  | 'segments:read'
  | 'segments:write'
  | 'events:read'
  | 'events:write'
  | 'broadcasts:read'
  | 'broadcasts:write'
  | 'broadcasts:send'
  | 'automations:read'
  | 'automations:write'
  | 'automations:activate'
  | 'templates:read'
  | 'templates:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'custom_fields:read'
  | 'custom_fields:write'
  | 'sending_domains:read'
  | 'sending_domains:write'
  | 'integrations:read'
  | 'integrations:write'
  | 'emails:send'
  | 'suppressions:read'
  | 'suppressions:write'
  | 'mcp:send'
  | 'tokens:read'
  | 'tokens:write'
  | 'audit:read'
  | 'members:read'
  | 'members:write'
  | 'workspace:write'

export type Role = 'owner' | 'admin' | 'member' | 'viewer'

export type Account = {
  id: string
  email: string
  name: string
  /** Whether logging in asks for a code besides the password. */ secondFactor: boolean
  passwordChangedAt: string
  createdAt: string
  updatedAt: string
}

export type AccountChange = {
  name?: string
}

export type AttachmentBody = {
  /** The name of the file. */ fileName: string
  /** Its media type. */ contentType: string
  /** Its bytes in base64. */ content: string
  /** Makes it part of the HTML, which refers to it as `cid:` and this. */ contentId?: string | null
}

export type AuditChainState = {
  intact: boolean
  sealedEntries: number
  /** Recorded just now, sealed within seconds. */ unsealedEntries: number
  /** Taken by retention; the chain goes on from the last of them. */ prunedEntries: number
  /** Hash over all sealed entries: noted elsewhere, it shows later that none was exchanged. */ seal: string
  /** The first place of the chain that does not hold. */ brokenAt: number | null
  /** The fault there: an entry is missing, was changed or added; resealed: the log was rewritten and its chain computed anew by somebody without our key; key_unknown: ENCRYPTION_KEY no longer holds the key to tell. */ fault: 'missing' | 'changed' | 'added' | 'resealed' | 'key_unknown' | null
}

export type AuditEntry = {
  id: string
  occurredAt: string
  actor: {
    kind: 'user' | 'api_token' | 'operator' | 'system'
    id: string | null
    name: string | null
  }
  action: string
  target: {
    type: string
    id: string | null
    name: string | null
  }
  diff: Record<string, unknown>
  requestId: string | null
  /** Client address. */ ip: string | null
  userAgent: string | null
}

export type AuditEntryList = {
  items: Array<AuditEntry>
  /** Absent on the last page. */ nextCursor?: string
}

export type Automation = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** `active`: people may come in. `closed`: nobody comes in, those inside go on. `paused`: nobody goes on. `stopped`: for good. */ status: 'draft' | 'active' | 'closed' | 'paused' | 'stopped'
  /** The event that brings people in, where it is a single one without a filter. */ triggerEvent: string | null
  /** Null: its definition is not the linear form. */ steps: Array<AutomationStepWritten> | null
  /** What is edited. It is in force once it is published. */ definition: Record<string, unknown>
  /** The version in force. Null: none yet. */ publishedVersion: number | null
  /** Whether the definition differs from the version in force. */ draftChanged: boolean
  createdAt: string
  updatedAt: string
}

export type AutomationBody = {
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */ definition?: Record<string, unknown>
  /** The name of the event that brings people in. */ triggerEvent?: string
  steps?: Array<AutomationStep>
}

export type AutomationChange = {
  /** Your name for it; recipients do not see it. Trimmed. */ name?: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */ definition?: Record<string, unknown>
  /** The name of the event that brings people in. */ triggerEvent?: string
  steps?: Array<AutomationStep>
}

export type AutomationCounts = {
  /** How often anybody has come in, those held out included. */ entered: number
  heldOut: number
  /** People who are in it now. */ inside: number
  /** How often somebody wanted to come in and did not, by reason. */ refused: Array<AutomationRefusals>
  nodes: Array<AutomationNodeCounts>
}

export type AutomationEnrollBody = {
  contactIds?: Array<string>
  /** Instead: everybody who is in it now. */ segmentId?: string
  /** Tells entries of one contact apart, as a cart does. */ key?: string
  /** How many begin in a minute. Without: all at once. */ perMinute?: number
}

export type AutomationEnrolled = {
  /** How many contacts wait to come in. Whether each does, the rules of the automation decide: `explain` tells. */ accepted: number
}

export type AutomationEntry = {
  entryKey: string
  /** How often it has come in by this key. */ entries: number
  enteredAt: string | null
  /** How often it wanted to, and did not. */ refusals: number
  refusedAt: string | null
  /** Why not, the last time. */ refusal: string | null
}

export type AutomationExplanation = {
  contactId: string
  isInside: boolean
  /** What happened, why, and what comes next and when, in sentences. */ story: Array<string>
  entries: Array<AutomationEntry>
  /** The last ten, newest first. */ runs: Array<AutomationRunTrace>
}

export type AutomationNodeCounts = {
  /** The id of the node. */ node: string
  version: number
  entered: number
  /** entered = here + left + ended, at every moment. */ here: number
  left: number
  ended: number
  /** Of those here: how many have failed and wait for somebody. */ parked: number
  /** By which way they left, or how they ended here: `exit:<reason>`. */ ways: Array<AutomationWayCount>
}

export type AutomationPage = {
  items: Array<Automation>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AutomationParkedBody = {
  /** Only those at this node. */ node?: string
}

export type AutomationRefusals = {
  reason: string
  count: number
}

export type AutomationResumeBody = {
  /** `shift` (default): every timer is put off by as long as it was paused. `now`: whatever became due meanwhile is done at once. */ late?: 'shift' | 'now'
}

export type AutomationRun = {
  id: string
  /** Null after an erasure. */ contactId: string | null
  version: number
  state: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  /** Why it has exited. */ reason: string | null
  /** Where it stands, or ended. */ node: string | null
  /** The value that tells entries of one contact apart. */ entryKey: string
  /** The moment of the event that brought it in. */ enteredAt: string
  /** When its timer ends, if it waits. */ dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */ error: string | null
}

export type AutomationRunPage = {
  items: Array<AutomationRun>
  /** Absent on the last page. */ nextCursor?: string
}

export type AutomationRunStep = {
  /** Counted from 1; 0 is the entry. */ visit: number
  /** The id of the node. */ node: string | null
  version: number
  /** By which way it left, or how it ended here. */ way: string
  /** The id of the node. */ next: string | null
  /** By the run’s own clock. */ cameAt: string
  leftAt: string
  /** When it was done, by the clock on the wall. */ doneAt: string
  eventId: string | null
  /** The values that decided. */ seen: Record<string, unknown> | null
}

export type AutomationRunTrace = {
  id: string
  /** Null after an erasure. */ contactId: string | null
  version: number
  state: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  /** Why it has exited. */ reason: string | null
  /** Where it stands, or ended. */ node: string | null
  /** The value that tells entries of one contact apart. */ entryKey: string
  /** The moment of the event that brought it in. */ enteredAt: string
  /** When its timer ends, if it waits. */ dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */ error: string | null
  steps: Array<AutomationRunStep>
}

export type AutomationSteeredRuns = {
  runs: number
}

export type AutomationStep = {
  type: 'email' | 'wait' | 'apply_tag' | 'remove_tag'
  /** Of an email, with Liquid. */ subject?: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */ body?: string | null
  /** Of a wait. */ seconds?: number | null
  /** The name of a tag to apply or to remove. */ tag?: string | null
}

export type AutomationStepWritten = {
  type: 'email' | 'wait' | 'apply_tag' | 'remove_tag'
  /** Of an email, with Liquid. */ subject: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */ body: string | null
  /** Of a wait. */ seconds: number | null
  /** The name of a tag to apply or to remove. */ tag: string | null
}

export type AutomationVersion = {
  version: number
  publishedAt: string
  definition: Record<string, unknown>
}

export type AutomationVersionSummary = {
  version: number
  publishedAt: string
}

export type AutomationVersionSummaryPage = {
  items: Array<AutomationVersionSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AutomationWayCount = {
  way: string
  count: number
}

export type Broadcast = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** With Liquid. */ subject: string
  /** Null: that of the integration. */ fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */ fromEmail: string | null
  /** The integration it is sent through. Null: the default. */ integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */ topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */ segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds: Array<string>
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** When it starts by itself. */ scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */ localTime: string | null
  /** The zone of contacts that have none. */ localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */ sentAt: string | null
  /** Why a failed one was not sent to anybody. */ failure: string | null
  createdAt: string
  updatedAt: string
  /** MJML or HTML, with Liquid. */ body: string
  /** The plain text part, with Liquid. Null: made of the body. */ text: string | null
}

export type BroadcastAudienceBody = {
  /** The one segment it goes to; null: every contact with an address. */ segmentId?: string | null
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds?: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds?: Array<string>
}

export type BroadcastBody = {
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** With Liquid. */ subject?: string
  /** Null: that of the integration. */ fromName?: string | null
  /** An address at a verified sending domain. Null: that of the integration. */ fromEmail?: string | null
  /** MJML or HTML, with Liquid. */ body?: string
  /** The plain text part, with Liquid. Null: made of the body. */ text?: string | null
  /** The integration it is sent through. Null: the default. */ integrationId?: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */ topicId?: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */ segmentId?: string | null
}

export type BroadcastChange = {
  /** Your name for it; recipients do not see it. Trimmed. */ name?: string
  /** With Liquid. */ subject?: string
  /** Null: that of the integration. */ fromName?: string | null
  /** An address at a verified sending domain. Null: that of the integration. */ fromEmail?: string | null
  /** MJML or HTML, with Liquid. */ body?: string
  /** The plain text part, with Liquid. Null: made of the body. */ text?: string | null
  /** The integration it is sent through. Null: the default. */ integrationId?: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */ topicId?: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */ segmentId?: string | null
}

export type BroadcastCounts = {
  /** The audience, frozen when it started; 0 until then. Always the sum of the next six. */ recipientsTotal: number
  /** Still to be sent. */ pendingCount: number
  /** Accepted by the mail server or provider. */ acceptedCount: number
  /** Failed for good. */ failedCount: number
  /** On the list of addresses that must not be mailed. */ suppressedCount: number
  /** Not mailed although nothing failed: unsubscribed, without address, canceled. */ skippedCount: number
  /** Handed over without an answer: nobody can know. */ uncertainCount: number
  /** Messages opened by people. */ openedCount: number
  /** Messages with a link clicked by people. */ clickedCount: number
  /** Messages whose reader has unsubscribed through them. */ unsubscribedCount: number
  /** Messages that came back. */ bouncedCount: number
  /** Messages that were reported as spam. */ complainedCount: number
}

export type BroadcastExplanation = {
  /** Why it is where it is, in one sentence. */ summary: string
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** Why its messages wait although it is being sent. Null while they go. */ holdReason: 'no_integration' | 'integration_disabled' | 'unverified_domain' | 'credentials_refused' | 'server_unreachable' | 'daily_limit' | null
  recipientsTotal: number
  /** How many of them are in the ledger. */ plannedCount: number
  pendingCount: number
  /** Messages that are being handed over right now. */ handingCount: number
  /** When the next waiting message is due. */ nextDueAt: string | null
  findings: Array<BroadcastFinding>
}

export type BroadcastFinding = {
  /** The thing that was looked at. */ subject: 'status' | 'planning' | 'recipients' | 'sender' | 'limits' | 'receivers' | 'queue' | 'lanes' | 'attempts' | 'sum'
  /** Whether it lets the broadcast go, stops it until somebody does something, or only makes it slower. */ verdict: 'passes' | 'stops' | 'delays' | 'tells'
  /** For a person. */ detail: string
  /** Until when, or since. */ at: string | null
}

export type BroadcastListItem = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** With Liquid. */ subject: string
  /** Null: that of the integration. */ fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */ fromEmail: string | null
  /** The integration it is sent through. Null: the default. */ integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */ topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */ segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds: Array<string>
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** When it starts by itself. */ scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */ localTime: string | null
  /** The zone of contacts that have none. */ localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */ sentAt: string | null
  /** Why a failed one was not sent to anybody. */ failure: string | null
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
  /** Whether nothing keeps it from being sent. */ ready: boolean
  /** The findings, errors first. */ checks: Array<PreflightCheck>
  /** How many contacts its audience has now. Null when they could not be counted in time. */ recipientsCount: number | null
  /** Who of its audience would get it if it were sent now. Null when that took too long to find out. */ forecast: {
    /** How many of them would get it. */ sendCount: number
    /** Who would not, by why; the most first. With `sendCount` they sum up to `recipientsCount`. */ skips: Array<{
      state: 'skipped' | 'suppressed'
      /** As in the report. */ reason: string
      /** The rule that stands against it. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'consent' | null
      count: number
    }>
  } | null
  /** Size of the HTML part for a sample person, as it goes out: with its tracked links. */ htmlBytes: number | null
}

export type BroadcastRecipient = {
  messageId: string
  /** Null when the contact was erased. */ contactId: string | null
  /** Empty when the contact has no address, or was erased. */ destination: string
  /** As the report counts it. The status of a message calls `pending` `queued` and `accepted` `sent`. */ state: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Why, for every state but pending and accepted. */ reason: string | null
  /** The rule that has refused the message. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'consent' | null
  attempts: number
  /** The last reply of the server. */ reply: string | null
  settledAt: string | null
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export type BroadcastRecipientExplanation = {
  contactId: string
  /** The message to them; null while, or because, there is none. */ messageId: string | null
  /** Whether they get it, as things stand. */ wouldGet: boolean
  /** The rule that stands against it. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'consent' | null
  /** In one sentence. */ summary: string
  findings: Array<{
    /** The thing that was looked at: the last ones are those of a message. */ subject: 'audience' | 'exclusion' | 'rules' | 'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'
    verdict: 'passes' | 'stops' | 'delays' | 'tells'
    detail: string
  }>
}

export type BroadcastRecipientList = {
  items: Array<BroadcastRecipient>
  /** Absent on the last page. A page of a rare kind may have fewer items, or none, before it. */ nextCursor?: string
}

export type BroadcastReport = {
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** Why its messages wait although it is being sent. Null while they go. */ holdReason: 'no_integration' | 'integration_disabled' | 'unverified_domain' | 'credentials_refused' | 'server_unreachable' | 'daily_limit' | null
  /** The audience, frozen when it started; 0 until then. */ recipientsTotal: number
  /** Still to be sent. */ pendingCount: number
  /** Accepted by the mail server or provider. */ acceptedCount: number
  failedCount: number
  /** On the list of addresses that must not be mailed. */ suppressedCount: number
  /** Not mailed although nothing failed: unsubscribed, without address, canceled. */ skippedCount: number
  /** Handed over without an answer: nobody can know. `resolve-uncertain` decides. */ uncertainCount: number
  /** Whether the ledger has as many messages as recipients were planned, and the counts sum up to the total. */ addsUp: boolean
  /** Messages opened by people. */ openedCount: number
  /** Messages with a link clicked by people. */ clickedCount: number
  unsubscribedCount: number
  bouncedCount: number
  complainedCount: number
  /** `openedCount` by `acceptedCount`, 0 to 1. */ openRate: number
  /** `clickedCount` by `acceptedCount`, 0 to 1. */ clickRate: number
  /** Messages whose picture a machine fetched: a proxy of the mailbox, a scanner. */ machineOpenedCount: number
  /** Messages with a link that a machine followed. */ machineClickedCount: number
  /** Links that were clicked, in the order of the template. */ links: Array<{
    /** Of the link in the template, from 0. */ position: number
    /** Where it led the last time: of a personal link one of many. */ url: string
    /** Clicks of people. */ clickCount: number
    /** Messages in which people clicked it. */ clickedCount: number
    machineClickCount: number
  }>
  /** By what the receivers’ replies mean. */ failedByReason: Array<{
    reason: string
    count: number
  }>
  /** bounce, complaint, manual. */ suppressedByReason: Array<{
    reason: string
    count: number
  }>
  /** Why they were not mailed. */ skippedByReason: Array<{
    reason: string
    count: number
  }>
  /** Messages lost before the answer. */ uncertainByReason: Array<{
    reason: string
    count: number
  }>
  startedAt: string | null
  /** When it was sent, canceled or failed. */ endedAt: string | null
}

export type BroadcastResolveBody = {
  /** `sent`: take them for accepted. `retry`: send them again; some may arrive twice. */ as: 'sent' | 'retry'
}

export type BroadcastScheduleBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */ expectedCount?: number
  /** When it starts: a time to come. */ scheduledAt?: string
  /** Instead: a date and time without zone, at which it is due to each contact in its own zone. */ localTime?: string
  /** With `localTime`: the IANA zone of contacts that have none. UTC when absent. */ timeZone?: string
}

export type BroadcastSendBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */ expectedCount?: number
}

export type BroadcastSummary = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** With Liquid. */ subject: string
  /** Null: that of the integration. */ fromName: string | null
  /** An address at a verified sending domain. Null: that of the integration. */ fromEmail: string | null
  /** The integration it is sent through. Null: the default. */ integrationId: string | null
  /** The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. Null: of none. */ topicId: string | null
  /** The only segment it goes to. Null: every contact with an address, or several segments. */ segmentId: string | null
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds: Array<string>
  status: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** When it starts by itself. */ scheduledAt: string | null
  /** The time of day, in each contact’s own zone, at which it is due there. */ localTime: string | null
  /** The zone of contacts that have none. */ localTimeZone: string | null
  startedAt: string | null
  /** When the last of its messages was settled. */ sentAt: string | null
  /** Why a failed one was not sent to anybody. */ failure: string | null
  createdAt: string
  updatedAt: string
}

export type BroadcastTestSendBody = {
  /** Where it goes. */ email: string
  /** The contact it is rendered for; needs `contacts:read`. Without: a sample person. */ contactId?: string
}

export type CaughtMail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */ readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */ mailFrom: string
  /** Of the envelope, `bcc` among them. */ recipients: Array<string>
  sizeBytes: number
}

export type CaughtMailDetail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */ readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */ mailFrom: string
  /** Of the envelope, `bcc` among them. */ recipients: Array<string>
  sizeBytes: number
  from: {
    name: string | null
    address: string
  } | null
  to: Array<{
    name: string | null
    address: string
  }>
  cc: Array<{
    name: string | null
    address: string
  }>
  replyTo: Array<{
    name: string | null
    address: string
  }>
  /** At most 524,288 characters; the whole is in the raw message. */ html: string | null
  text: string | null
  /** Links of the HTML, in their order. */ links: Array<string>
  headers: Array<{
    name: string
    value: string
  }>
  attachments: Array<{
    fileName: string | null
    contentType: string
    contentId: string | null
    sizeBytes: number
  }>
}

export type CaughtMailList = {
  items: Array<CaughtMail>
  /** Absent on the last page. */ nextCursor?: string
}

export type ClearedMailbox = {
  /** How many mails. */ deleted: number
}

export type ConfirmationRequest = {
  id: string
  contactId: string
  destination: string
  /** The mail that asks. */ messageId: string
  /** suppressed: the address is mailed nothing. skipped: nothing is sent to it for another reason. */ status: 'queued' | 'suppressed' | 'skipped'
  requestedAt: string
  /** Until when the link of the mail works. */ expiresAt: string
  confirmedAt: string | null
}

export type ConsentEntry = {
  id: string
  at: string
  /** requested: a mail asked for a confirmation. confirmed: the person said yes by its link, or on the preference page. imported: told by an import. grandfathered: was a contact when double opt-in was switched on. unsubscribed, resubscribed: wants something no more, or again. */ change: 'requested' | 'confirmed' | 'imported' | 'grandfathered' | 'unsubscribed' | 'resubscribed'
  /** The topic it is about; null is all marketing mail. */ sendingSource: string | null
  /** person: by a link of a mail to their address. workspace: at your word. system: by itself. */ byWhom: 'person' | 'workspace' | 'system'
  /** Where the person was. */ ip: string | null
  /** The message whose link was used, or that asked. */ messageId: string | null
}

export type ConsentEntryPage = {
  items: Array<ConsentEntry>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type Contact = {
  id: string
  /** Your own id of the person; unique in the workspace. */ subjectId: string | null
  /** Unique in the workspace; stored in lower case. */ email: string | null
  /** Unique in the workspace. */ phone: string | null
  /** Given name. */ firstName: string | null
  /** Family name. */ lastName: string | null
  /** IANA time zone. */ timeZone: string | null
  customFields: Record<string, unknown>
  createdAt: string
  updatedAt: string
}

export type ContactBatchBody = {
  contacts: Array<ContactBody | unknown>
}

export type ContactBatchResults = {
  /** One for each item, in their order. */ results: Array<{
    /** Position in the request, from 0. */ index: number
    /** updated: the contact was there, whether or not the item changed it. failed: nothing was done. */ status: 'created' | 'updated' | 'failed'
    contactId?: string
    /** The fault of a failed item, beginning with the field concerned. */ error?: string
  }>
}

export type ContactBody = {
  /** Your own id of the person; unique in the workspace. */ subjectId?: string | null
  /** Unique in the workspace; stored in lower case. */ email?: string | null
  /** Unique in the workspace. */ phone?: string | null
  /** Given name. */ firstName?: string | null
  /** Family name. */ lastName?: string | null
  /** IANA time zone. */ timeZone?: string | null
  customFields?: Record<string, unknown> | null
}

export type ContactExport = {
  id: string
  /** done: the file can be downloaded. expired: it could be, and is gone. */ state: 'running' | 'done' | 'failed' | 'expired'
  filter: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
    /** Only the contact with this address. */ email?: string
    /** Only the contact with this subjectId. */ subjectId?: string
    /** Only the contact with this phone number. */ phone?: string
    /** Only contacts that have the tag of this name. */ tag?: string
    /** Only contacts that are in this segment now. */ segmentId?: string
    /** Only contacts created or changed at or after this time. */ updatedSince?: string
  }
  columns: Array<string>
  rows: {
    /** Contacts to be written; until the filter is applied, all of the workspace. */ total: number
    /** Contacts that are in the file. */ written: number
  }
  /** Size of the file so far. */ bytes: number
  /** Why it failed. */ failure: string | null
  createdAt: string
  endedAt: string | null
  /** When the file goes. */ expiresAt: string | null
  updatedAt: string
}

export type ContactExportBody = {
  /** The contacts to export, as in the list of contacts; everybody when absent. */ filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
    /** Only the contact with this address. */ email?: string
    /** Only the contact with this subjectId. */ subjectId?: string
    /** Only the contact with this phone number. */ phone?: string
    /** Only contacts that have the tag of this name. */ tag?: string
    /** Only contacts that are in this segment now. */ segmentId?: string
    /** Only contacts created or changed at or after this time. */ updatedSince?: string
  }
  /** Of id, subjectId, email, phone, firstName, lastName, timeZone, status, tags, createdAt, updatedAt and custom:<key>; all of them when absent. */ columns?: Array<string>
}

export type ContactExportPage = {
  items: Array<ContactExport>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactImport = {
  id: string
  /** uploaded: waits to be started. failed: see `failure`; rows before it are imported. */ state: 'uploaded' | 'running' | 'done' | 'failed' | 'canceled'
  /** As the upload called it. */ fileName: string | null
  /** Size of the file as it was sent, decompressed. */ bytes: number
  /** The encoding the file was read in. */ encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  /** The character that separates its columns. */ delimiter: ',' | ';' | '	' | '|'
  columns: Array<{
    /** From the header row; a repeated name gets a number. */ name: string
    /** First values of the column. */ samples: Array<string>
  }>
  /** Where the values of each column go, by the column's name: subjectId, email, phone, firstName, lastName, timeZone, fullName, tags, customFields, consent:status, consent:optInTime, consent:optInIp, consent:confirmTime, consent:confirmIp, consent:unsubscribeTime, consent:cleanTime, custom:<key> or ignore. Columns that are not named are ignored. */ suggestedMapping: Record<string, unknown>
  /** The mapping it was started with. */ mapping: Record<string, unknown> | null
  /** Given to every contact of the file. */ tags: Array<string>
  /** The consent it was started with. */ consent: 'confirmed' | 'unconfirmed' | null
  /** Progress. */ rows: {
    /** Rows of the file, header and empty lines not counted; estimated until all are read. */ total: number
    /** Rows that are done. */ read: number
    /** Rows that became new contacts. */ created: number
    /** Rows that found their contact, changed or not. */ updated: number
    /** Rows that were not imported, see `/errors`. */ failed: number
    /** Rows without any value. */ skipped: number
  }
  /** Why it failed as a whole. */ failure: string | null
  createdAt: string
  /** When it was started. */ startedAt: string | null
  /** When it was done, failed or canceled. The file is gone from then on. */ endedAt: string | null
  updatedAt: string
}

export type ContactImportBody = {
  /** The file, at most what a body holds. */ csv: string
  fileName?: string | null
}

export type ContactImportError = {
  /** Line of the file on which the row begins; the header is line 1. */ line: number
  error: string
  /** The row as it stood in the file. */ values: Array<string>
}

export type ContactImportErrorPage = {
  items: Array<ContactImportError>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactImportPage = {
  items: Array<ContactImport>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactImportStartBody = {
  /** Where the values of each column go, by the column's name: subjectId, email, phone, firstName, lastName, timeZone, fullName, tags, customFields, consent:status, consent:optInTime, consent:optInIp, consent:confirmTime, consent:confirmIp, consent:unsubscribeTime, consent:cleanTime, custom:<key> or ignore. Columns that are not named are ignored. */ mapping?: Record<string, unknown>
  /** Tags for every contact of the file. */ tags?: Array<string>
  /** Whether everybody in the file has agreed to marketing mail, where the row itself says nothing. unconfirmed when absent. */ consent?: 'confirmed' | 'unconfirmed'
}

export type ContactMerge = {
  contactId: string
  /** The contact it was merged into: this one, or one that became part of this one later. */ mergedIntoId: string
  mergedAt: string
}

export type ContactMergeBody = {
  /** The contact that is merged into the one of the path, and is no more afterwards. */ contactId: string
}

export type ContactMergePage = {
  items: Array<ContactMerge>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactPage = {
  items: Array<Contact>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactTimeline = {
  items: Array<TimelineEvent>
  /** Absent on the last page. */ nextCursor?: string
}

export type ContactTopic = {
  topicId: string
  /** Readers see it. */ name: string
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription: 'everyone' | 'opt_in'
  /** default: neither yes nor no was said; `subscription` decides. */ state: 'subscribed' | 'unsubscribed' | 'default'
  /** Whether mail of the topic goes to the contact, as far as this decides it. */ wanted: boolean
}

export type ContactTopicBody = {
  state: 'subscribed' | 'unsubscribed'
}

export type ContactTopicList = {
  items: Array<ContactTopic>
}

export type CountedTag = {
  id: string
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
  createdAt: string
  /** How many contacts have the tag; exact. */ contactCount: number
}

export type CountedTagPage = {
  items: Array<CountedTag>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type CustomField = {
  id: string
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name: string
  /** Type of its values; datetime is an RFC 3339 timestamp. */ type: 'string' | 'number' | 'boolean' | 'datetime'
  createdAt: string
  updatedAt: string
}

export type CustomFieldBody = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name?: string
  /** Type of its values; datetime is an RFC 3339 timestamp. */ type: 'string' | 'number' | 'boolean' | 'datetime'
}

export type CustomFieldChange = {
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key?: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name?: string
}

export type CustomFieldRetype = {
  /** Type of its values; datetime is an RFC 3339 timestamp. */ type: 'string' | 'number' | 'boolean' | 'datetime'
  dryRun: boolean
  /** running: values are still being looked at. */ state: 'running' | 'finished'
  /** Contacts looked at so far, with and without a value. */ examined: number
  /** Values that are of the type, or were converted without loss. */ fitting: number
  /** Values that do not fit. They stay as they are. */ unfit: number
  /** Up to 100 contacts whose value does not fit, ascending by id. */ samples: Array<{
    contactId: string
    /** The value as it is now. */ value: unknown
  }>
  startedAt: string
  finishedAt: string | null
}

export type CustomFieldRetypeBody = {
  /** Type of its values; datetime is an RFC 3339 timestamp. */ type: 'string' | 'number' | 'boolean' | 'datetime'
  /** Only look at the values and report what would not fit. */ dryRun?: boolean
}

export type DkimKeyCheck = {
  selector: string
  /** next takes over once it is verified; retiring was current: keep its record until retiresAt. */ role: 'current' | 'next' | 'retiring'
  verified: boolean
  /** Whether mail is signed with this key now. */ signing: boolean
  retiresAt: string | null
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The records of this kind that were found. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type DnsRecord = {
  type: string
  /** Full name to publish it at. */ host: string
  value: string
}

export type DnsRecordCheck = {
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The records of this kind that were found. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type EffectiveLimit = {
  /** The lower one of what is configured and what the provider allows; null without either. */ limit: number | null
  /** Where the limit comes from; `manual` when both are the same. */ source: 'manual' | 'provider' | 'none'
}

export type Email = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */ purpose: 'marketing' | 'service' | 'transactional' | 'system'
  /** The way by which it was sent. */ surface: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** sent: the mail server took it. skipped: it was not to be sent, `reason` tells why. uncertain: it was handed over and no answer came; it may have arrived. */ status: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Why, for every status but queued and sent. */ reason: string | null
  /** Empty after an erasure. */ destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  templateId: string | null
  /** Before Liquid; null with a template. */ subject: string | null
  /** Attempts that counted; being slowed down by a server counts none. */ attempts: number
  scheduledAt: string | null
  createdAt: string
  settledAt: string | null
  /** First opened by a person. */ openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export type EmailBatchBody = {
  emails: Array<EmailBody | unknown>
}

export type EmailBatchResults = {
  results: Array<{
    /** Position in the request, from 0. */ index: number
    /** failed: nothing was done. */ status: 'queued' | 'sent' | 'suppressed' | 'failed'
    id?: string
    destination?: string
    /** The fault of a failed item. */ error?: string
  }>
}

export type EmailBody = {
  destination: string | Array<string>
  /** Their name, as it stands in `To`. */ destinationName?: string | null
  /** The template it is made from, unless it has content of its own. */ templateId?: string | null
  /** The same by the key of the template. */ templateKey?: string | null
  /** Content of its own: needs `html` or `text` as well. */ subject?: string | null
  /** HTML or MJML. */ html?: string | null
  /** The same without markup; made from the HTML when absent. */ text?: string | null
  /** Values for Liquid, before those of the contact. With them, `{}` as well, Liquid is applied to content of its own; without them content that has `{{` or `{%` in it is refused, unless `liquid` says what is meant. */ variables?: Record<string, unknown> | null
  /** Of content of its own. true: Liquid is applied to it. false: it goes out as it is, character for character. */ liquid?: boolean | null
  /** Anything that helps to know the message again, at most 4 KiB: read with it, and in the data of its `email.*` events. */ metadata?: Record<string, unknown> | null
  /** The sender: an address of one of your sending domains. */ fromEmail?: string | null
  /** The name beside it. */ fromName?: string | null
  /** Further recipients: `ada@example.com` or `Ada <ada@example.com>`. */ cc?: Array<string> | null
  /** Recipients that the others do not see. */ bcc?: Array<string> | null
  /** Where answers go. */ replyTo?: Array<string> | null
  /** Further header fields. Those that other fields of this body say are refused. */ headers?: Array<{
    /** Its name. */ name: string
    /** Its value. */ value: string
  }> | null
  attachments?: Array<AttachmentBody> | null
  /** Adds a pixel that tells of opens. false when absent. */ trackOpens?: boolean | null
  /** Leads links through us, which tells of clicks. false when absent. */ trackClicks?: boolean | null
  /** When it goes out, within a year; now when absent. */ scheduledAt?: string | null
}

export type EmailDetail = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */ purpose: 'marketing' | 'service' | 'transactional' | 'system'
  /** The way by which it was sent. */ surface: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** sent: the mail server took it. skipped: it was not to be sent, `reason` tells why. uncertain: it was handed over and no answer came; it may have arrived. */ status: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Why, for every status but queued and sent. */ reason: string | null
  /** Empty after an erasure. */ destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  templateId: string | null
  /** Before Liquid; null with a template. */ subject: string | null
  /** Attempts that counted; being slowed down by a server counts none. */ attempts: number
  scheduledAt: string | null
  createdAt: string
  settledAt: string | null
  /** First opened by a person. */ openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
  templateVersion: number | null
  destinationName: string | null
  /** Beside the destination, in `To`. */ furtherTo: Array<Mailbox>
  metadata: Record<string, unknown> | null
  /** null: the integration's. */ fromEmail: string | null
  fromName: string | null
  cc: Array<Mailbox>
  bcc: Array<string>
  replyTo: Array<Mailbox>
  headers: Array<{
    name: string
    value: string
  }>
  attachments: Array<{
    fileName: string
    contentType: string
    contentId: string | null
    sizeBytes: number
  }>
  /** When it is tried next, while it is queued. */ nextAttemptAt: string | null
  integrationId: string | null
  provider: 'smtp' | 'ses' | null
  /** The provider's id for it. */ providerMessageId: string | null
  /** The last reply of the mail server. */ reply: string | null
  /** Oldest first, at most 500. */ timeline: Array<TimelineEntry>
}

export type EmailList = {
  items: Array<Email>
  /** Absent on the last page. */ nextCursor?: string
}

export type Event = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */ type: string
  /** The name under which it is delivered. */ action: string
  /** As recorded. */ subjectId: string | null
  /** As recorded. */ email: string | null
  /** As recorded. */ phone: string | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
  /** The contact that was known then; null without one. */ contactId: string | null
}

export type EventAction = {
  action: string
  /** To the minute. */ lastSeenAt: string
  /** The `properties` of one of the last; null when it was erased or has left by age. */ sample: Record<string, unknown> | null
}

export type EventActionPage = {
  items: Array<EventAction>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type EventList = {
  items: Array<Event>
  /** Absent on the last page. */ nextCursor?: string
}

export type FeedbackHooks = {
  /** Stands in the paths of the hooks. Anybody who has it can reach them: keep it secret. */ ingestKey: string
  /** Below the address of this service. */ paths: {
    /** For a subscription of Amazon SNS, over https. */ ses: string
    /** Takes a mail that came back, as `message/rfc822`. */ mail: string
    /** Takes signed bounces and complaints in JSON. */ events: string
  }
  /** Signs what is sent to the hook of events, by Standard Webhooks: `whsec_…`. */ secret: string
  /** Until when key and secret before the last rotation stay good; null when they are not any more. */ previousUntil: string | null
  /** ARNs of the SNS topics that are believed. None: no message of SNS is. */ sesTopics: Array<string>
  /** The domain of return paths, when the instance has one. */ bounceDomain: string | null
  createdAt: string
  updatedAt: string
}

export type FeedbackHooksChange = {
  sesTopics?: Array<string>
}

export type Integration = {
  id: string
  name: string
  channel: 'email'
  /** The kind of its config. */ provider: 'smtp' | 'ses'
  enabled: boolean
  /** At most one of a channel is. */ isDefault: boolean
  /** Configured limit. */ maxPerSecond: number | null
  /** Configured limit, over any 24 hours. */ maxPerDay: number | null
  sendLimit: {
    perSecond: EffectiveLimit
    perDay: EffectiveLimit
    /** Sent through it in the last 24 hours, in whole minutes. */ sentLast24h: number
    warnings: Array<'unlimited' | 'providerQuotaUnavailable' | 'dailyLimitNear' | 'dailyLimitReached'>
  }
  /** Fields that the kind does not have are null. Passwords and keys are never in an answer. */ config: {
    kind: 'smtp' | 'ses'
    /** Name or address of the mail server. */ host: string | null
    port: number | null
    username: string | null
    /** Address that mail is sent from. */ from: string
    fromName: string | null
    /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, else `starttls`. */ tls: 'implicit' | 'starttls' | 'none' | null
    /** Region of Amazon SES. */ region: string | null
    /** Origin of a service that is compatible with Amazon SES. */ endpoint: string | null
    /** To tell keys apart. */ accessKeyIdLast4: string | null
    /** Whether the domain of `from` is a verified sending domain. While it is not, what has no sender of its own is refused or waits. Always true for the mailbox. */ fromVerified: boolean
  }
  createdAt: string
  updatedAt: string
}

export type IntegrationBody = {
  name: string
  /** false: nothing is sent through it. */ enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */ isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  /** Email when absent. */ channel?: 'email'
  /** The kind of `config`, when it is given. */ provider?: 'smtp' | 'ses'
  /** `smtp` needs `host`, `port`, `from`; `ses` needs `region`, `accessKeyId`, `secretAccessKey`, `from`. */ config: IntegrationConfigBody
}

export type IntegrationChange = {
  name?: string
  /** false: nothing is sent through it. */ enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */ isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  /** Absent fields stay, null clears; a secret that is absent or blank stays, unless mail would go to another server. With another kind it is as at the creation. */ config?: IntegrationConfigChange
}

export type IntegrationConfigBody = {
  kind: 'smtp' | 'ses'
  /** Name or address of the mail server. */ host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, else `starttls`. */ tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */ username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */ password?: string | null
  /** Region of Amazon SES. */ region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */ accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */ secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */ endpoint?: string | null
  /** Address that mail is sent from. */ from?: string
  fromName?: string | null
}

export type IntegrationConfigChange = {
  kind?: 'smtp' | 'ses'
  /** Name or address of the mail server. */ host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, else `starttls`. */ tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */ username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */ password?: string | null
  /** Region of Amazon SES. */ region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */ accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */ secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */ endpoint?: string | null
  /** Address that mail is sent from. */ from?: string
  fromName?: string | null
}

export type IntegrationPage = {
  items: Array<Integration>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type IntegrationTestBody = {
  /** `smtp` needs `host`, `port`, `from`; `ses` needs `region`, `accessKeyId`, `secretAccessKey`, `from`. */ config: IntegrationConfigBody
}

export type IntegrationTestResult = {
  /** Whether mail could be handed over now. Nothing was sent. */ ok: boolean
  /** Where it failed. */ phase: 'dns' | 'connect' | 'tls' | 'greeting' | 'ehlo' | 'auth' | 'account' | 'sender' | null
  /** Stable: branch on this. */ code: 'ok' | 'host_not_found' | 'host_lookup_failed' | 'host_lookup_timeout' | 'address_refused' | 'connection_refused' | 'connection_timeout' | 'connection_failed' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_untrusted' | 'starttls_not_offered' | 'tls_timeout' | 'tls_failed' | 'greeting_refused' | 'greeting_timeout' | 'not_smtp' | 'connection_closed' | 'ehlo_refused' | 'ehlo_timeout' | 'auth_not_offered' | 'credentials_refused' | 'auth_unavailable' | 'auth_failed' | 'auth_timeout' | 'keys_refused' | 'permission_missing' | 'account_timeout' | 'provider_throttled' | 'provider_unavailable' | 'sending_paused' | 'not_ses' | 'from_unverified'
  /** For a person. */ message: string
  /** The server's answer when it refused. */ reply: string | null
  /** Null for clear text, and for `ses`. */ tlsVersion: string | null
  durationMs: number
}

export type Invitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Its link is over; send it again for a new one. */ expired: boolean
  expiresAt: string
  /** When its link was made. */ sentAt: string
  createdAt: string
  updatedAt: string
}

export type InvitationAcceptBody = {
  name?: string
  password?: string
}

export type InvitationBody = {
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type InvitationPage = {
  items: Array<Invitation>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type LogInBody = {
  email: string
  password: string
}

export type MadeToken = {
  /** Shown this once. */ token: string
  tokenInfo: TokenInfo
}

export type MailCounts = {
  /** Messages that a mail server or provider has accepted. */ accepted: number
  /** Messages that failed for good. */ failed: number
  /** Messages that came back. */ bounced: number
  /** Messages that were reported as spam. */ complained: number
  /** Messages opened by people, each counted once, when it was first opened. */ openedByPeople: number
  /** Messages whose picture a machine fetched, likewise. */ openedByMachines: number
  /** Messages with a link clicked by people, likewise. */ clickedByPeople: number
  /** Messages with a link that a machine followed, likewise. */ clickedByMachines: number
  /** Messages whose reader has unsubscribed through them. */ unsubscribed: number
}

export type MailPoint = {
  /** The beginning of the hour or day. */ at: string
  /** Messages that a mail server or provider has accepted. */ accepted: number
  /** Messages that failed for good. */ failed: number
  /** Messages that came back. */ bounced: number
  /** Messages that were reported as spam. */ complained: number
  /** Messages opened by people, each counted once, when it was first opened. */ openedByPeople: number
  /** Messages whose picture a machine fetched, likewise. */ openedByMachines: number
  /** Messages with a link clicked by people, likewise. */ clickedByPeople: number
  /** Messages with a link that a machine followed, likewise. */ clickedByMachines: number
  /** Messages whose reader has unsubscribed through them. */ unsubscribed: number
}

export type MailSeries = {
  /** The beginning of the first hour or day. */ from: string
  /** Its end; the last hour or day may go beyond it. */ to: string
  interval: 'hour' | 'day'
  /** The zone of the days. */ timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */ series: Array<MailPoint>
  totals: MailCounts
}

export type Mailbox = {
  address: string
  name: string | null
}

export type Member = {
  id: string
  email: string
  name: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** Whether they have one. */ secondFactor: boolean
  /** When they joined. */ createdAt: string
  updatedAt: string
}

export type MemberPage = {
  items: Array<Member>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type MemberRoleBody = {
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type Membership = {
  id: string
  slug: string
  name: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type MembershipPage = {
  items: Array<Membership>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type MessageContent = {
  from: Mailbox
  to: Array<Mailbox>
  cc: Array<Mailbox>
  replyTo: Array<Mailbox>
  subject: string
  /** Its links count nothing, and those to unsubscribe stop nothing. */ html: string | null
  text: string | null
  /** Whether nothing that it is made of has changed since it was sent. Otherwise values of the contact, or the postal address, may have read otherwise. */ asSent: boolean
}

export type MessageExplanation = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */ purpose: 'marketing' | 'service' | 'transactional' | 'system'
  /** The way by which it was sent. */ surface: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** Empty after an erasure. */ destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  /** Where it stands: `pending` is the status `queued`, `accepted` is `sent`; the others are alike. */ state: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  reason: string | null
  /** The rule that has refused it, or will. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'consent' | null
  /** In one sentence. */ summary: string
  /** As things stand now, in the order in which they count. */ findings: Array<{
    /** The thing that was looked at. */ subject: 'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'
    /** tells: it neither lets through nor stops, it says how the message fared. */ verdict: 'passes' | 'stops' | 'delays' | 'tells'
    detail: string
    at: string | null
  }>
}

export type MessageHit = {
  at: string
  kind: 'open' | 'click'
  /** Of clicks: its place among the links of the template. */ link: number | null
  url: string | null
  /** Where it came from. */ ip: string | null
  userAgent: string | null
  /** The author it was judged to have, ten seconds later. */ verdict: 'human' | 'machine' | null
}

export type NewToken = {
  /** The purpose of it. */ name: string
  /** The scopes it has. None that its maker lacks. */ scopes: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'tokens:read' | 'tokens:write' | 'audit:read'>
  expiresAt?: string | null
}

export type OpenInvitation = {
  workspace: {
    name: string
  }
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Whether to log in as this email, or to choose a name and a password. */ accountExists: boolean
  expiresAt: string
}

export type OpenPasswordReset = {
  email: string
  expiresAt: string
}

export type Overview = {
  /** The beginning of the first hour or day. */ from: string
  /** Its end; the last hour or day may go beyond it. */ to: string
  interval: 'hour' | 'day'
  /** The zone of the days. */ timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */ series: Array<MailPoint>
  totals: MailCounts
  /** The same of the equally long time before `from`. */ before: {
    /** Messages that a mail server or provider has accepted. */ accepted: number
    /** Messages that failed for good. */ failed: number
    /** Messages that came back. */ bounced: number
    /** Messages that were reported as spam. */ complained: number
    /** Messages opened by people, each counted once, when it was first opened. */ openedByPeople: number
    /** Messages whose picture a machine fetched, likewise. */ openedByMachines: number
    /** Messages with a link clicked by people, likewise. */ clickedByPeople: number
    /** Messages with a link that a machine followed, likewise. */ clickedByMachines: number
    /** Messages whose reader has unsubscribed through them. */ unsubscribed: number
  }
}

export type PasswordBody = {
  currentPassword: string
  newPassword: string
}

export type PasswordResetBody = {
  password: string
}

export type PasswordResetRequestBody = {
  email: string
}

export type PasswordResetRequested = {
  status: 'accepted'
}

export type PersonalData = {
  contact: Contact
  tags: Array<{
    id: string
    name: string
    createdAt: string
    appliedAt: string
  }>
  /** Kinds of mail that the person has said yes to. */ topics: Array<{
    topicId: string
    name: string
    byWhom: 'person' | 'workspace'
    subscribedAt: string
  }>
  /** Browsers the person was recognised in. */ visitors: Array<Record<string, unknown>>
  /** Sources the address wants no more of. They outlive an erasure. */ unsubscribes: Array<{
    id: string
    destination: string
    sendingSource: string
    createdAt: string
  }>
  /** Opt-outs, bounces and complaints of the address. They outlive an erasure. */ suppressions: Array<{
    id: string
    destination: string
    reason: string
    createdAt: string
  }>
  /** Consents, with how they were given. */ confirmations: Array<{
    /** How it is known. */ provenance: 'double_opt_in' | 'grandfathered' | 'imported'
    optedInAt: string | null
    optInIp: string | null
    confirmedAt: string | null
    confirmIp: string | null
    createdAt: string
  }>
  /** How consents came, went and came again, newest first, at most 1,000. */ consentChanges: Array<ConsentEntry>
  /** Newest first, at most 1,000 a document. */ events: Array<TimelineEvent>
  /** Messages to the person, newest first, at most 5,000. */ outboundMessages: Array<{
    id: string
    /** broadcast, automation, transactional, confirmation or test. */ kind: string
    /** marketing, service, transactional or system. */ purpose: string
    destination: string
    broadcastId: string | null
    automationId: string | null
    templateId: string | null
    /** Of a single message with content of its own. */ subject: string | null
    /** queued, sent, failed, suppressed, skipped or uncertain. */ status: string
    reason: string | null
    sendingDomain: string | null
    provider: string | null
    providerMessageId: string | null
    createdAt: string
    settledAt: string | null
    openedAt: string | null
    clickedAt: string | null
    unsubscribedAt: string | null
    bouncedAt: string | null
    complainedAt: string | null
    /** Each time it was opened or clicked, by whomever; 10,000 of all messages, the newest messages first. */ hits: Array<MessageHit>
  }>
  /** Broadcasts the person was among the recipients of. */ broadcastRecipients: Array<{
    broadcastId: string
    messageId: string
    status: string
    reason: string | null
    createdAt: string
  }>
  /** There are more events: `?cursor=` gives the document with the next ones. */ nextCursor?: string
}

export type PreflightCheck = {
  /** Stable: branch on this. */ code: 'subject_missing' | 'body_missing' | 'content_faulty' | 'content_warning' | 'render_failed' | 'unsubscribe_missing' | 'unknown_field' | 'no_integration' | 'integration_disabled' | 'unverified_domain' | 'workspace_unnamed' | 'segment_invalid' | 'audience_empty' | 'audience_skipped' | 'audience_uncounted' | 'link_broken' | 'link_insecure' | 'link_unanswered' | 'message_large' | 'text_missing' | 'spam_words' | 'postal_address_missing'
  /** An error keeps it from being sent. */ severity: 'error' | 'warning'
  /** The field at fault. */ field: string | null
  /** The line of the field, from 1. */ line: number | null
  /** For a person. */ detail: string
}

export type QueuedEmail = {
  id: string
  /** suppressed: the address must not be mailed. */ status: 'queued' | 'sent' | 'suppressed'
  /** Normalised. */ destination: string
}

export type Rate = {
  numerator: number
  /** Messages that were accepted in the window. */ denominator: number
  /** 0 to 1; null where nothing was accepted. */ rate: number | null
}

export type RecoveryCodes = {
  /** 10 codes, shown this once. */ recoveryCodes: Array<string>
}

export type ResolveEmailBody = {
  /** `sent`: take it for sent. `retry`: send it again; it may arrive twice. */ as: 'sent' | 'retry'
}

export type Restoration = {
  /** Whether nothing is sent or delivered, because the database was restored or copied. */ held: boolean
  heldSince: string | null
  /** Why: `cluster` (the database is in another cluster than before), `behind` (it does not know what it had committed), `told` (the operator said so), `copy` (it was started as a copy). */ reason: 'cluster' | 'behind' | 'told' | 'copy' | null
  /** Whether it runs as a copy, whose mail stays in the mailbox. */ isCopy: boolean
  /** Whether the person may let it go on: an owner of the first workspace. */ mayConfirm: boolean
}

export type RestorationConfirmation = {
  /** Since when it is held, as it was read: another restore is not confirmed by mistake. */ heldSince: string
  /** Sends what was queued when it was held, which may have been sent after the backup. Without it those messages are uncertain. */ sendQueued?: boolean
}

export type RestorationConfirmed = {
  status: 'accepted'
}

export type SecondFactorCodeBody = {
  currentPassword: string
  /** The authenticator's code. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type SecondFactorConfirmBody = {
  /** The authenticator's code. */ code: string
}

export type SecondFactorEnrolBody = {
  currentPassword: string
}

export type SecondFactorEnrolment = {
  /** Base32, to be typed into an authenticator. Shown this once. */ secret: string
  /** The same as the content of a QR code. */ otpauthUrl: string
}

export type SecondFactorRequired = {
  secondFactor: 'required'
  ticket: string
  expiresAt: string
}

export type SecondFactorState = {
  enabled: boolean
  enabledAt: string | null
  recoveryCodesLeft: number
}

export type SecondStepBody = {
  ticket: string
  /** The authenticator's code. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type Segment = {
  id: string
  name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition: string
  createdAt: string
  updatedAt: string
}

export type SegmentBody = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */ name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition: string
}

export type SegmentChange = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */ name?: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition?: string
}

export type SegmentMembership = {
  isMember: boolean
  /** In the order of the definition; muted ones are left out. */ rules: Array<{
    /** The rule in the definition. */ pointer: string
    field: string
    operator: string
    /** Whether this rule by itself holds for the contact. */ holds: boolean
  }>
}

export type SegmentPage = {
  items: Array<Segment>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SegmentPreview = {
  /** How many contacts belong to it now, exactly. */ count: number
  /** Its first ten contacts, ascending by id. */ sample: Array<Contact>
}

export type SegmentPreviewBody = {
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition?: string | null
}

export type SendingDomain = {
  id: string
  domain: string
  dkimSelector: string
  /** Whether the last definite DKIM check found the key. Never set by the caller. */ verified: boolean
  dkimRecord: DnsRecord
  spfRecord: DnsRecord
  dmarcRecord: DnsRecord
  lastCheckedAt: string | null
  verifiedAt: string | null
  createdAt: string
  updatedAt: string
}

export type SendingDomainBody = {
  /** Stored in lower case and ASCII (IDNA), without a final dot. */ domain: string
  /** DNS labels joined by dots: the name of the DKIM key. */ dkimSelector?: string
}

export type SendingDomainChange = {
  /** DNS labels joined by dots: the name of the DKIM key. */ dkimSelector?: string
}

export type SendingDomainChecks = {
  domain: string
  /** Every key of the domain: the current one first. */ dkim: Array<DkimKeyCheck>
  spf: DnsRecordCheck
  dmarc: DnsRecordCheck
}

export type SendingDomainPage = {
  items: Array<SendingDomain>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SendingDomainRates = {
  sendingDomainId: string
  domain: string
  windowDays: number
  complaintRate: Rate
  bounceRate: Rate
}

export type SendingDomainRatesPage = {
  items: Array<SendingDomainRates>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SendingSettings = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens: boolean
  /** Links in mail lead by way of this service. */ trackClicks: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress: string | null
  /** null while they are as a new workspace has them. */ updatedAt: string | null
}

export type SendingSettingsChange = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn?: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens?: boolean
  /** Links in mail lead by way of this service. */ trackClicks?: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress?: string | null
}

export type SentInvitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Its link is over; send it again for a new one. */ expired: boolean
  expiresAt: string
  /** When its link was made. */ sentAt: string
  createdAt: string
  updatedAt: string
  /** Only where this instance sends no mail: hand it over yourself. Shown this once. */ link: string | null
}

export type Session = {
  user: {
    id: string
    email: string
    name: string
  }
  workspaces: Array<Membership>
}

export type SessionInfo = {
  id: string
  createdAt: string
  /** To the minute. */ lastSeenAt: string
  /** Where it was opened from. */ ip: string | null
  userAgent: string | null
  /** Whether it is the one in use. */ current: boolean
}

export type SessionInfoPage = {
  items: Array<SessionInfo>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SiteCustomField = {
  id: string
  /** Key of the value in `customFields` of contacts; unique in the workspace, up to 100 characters. */ key: string
  /** The name people read; the key where none is given. Up to 200 characters. */ name: string
  /** Type of its values; datetime is an RFC 3339 timestamp. */ type: 'string' | 'number' | 'boolean' | 'datetime'
  createdAt: string
  updatedAt: string
  /** Whether values are held to the type; false: it was inferred from the first one. */ declared: boolean
  /** While a change of the key is under way: the key before it. */ previousKey: string | null
}

export type SiteCustomFieldPage = {
  items: Array<SiteCustomField>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SiteWebhookEndpointHealth = {
  endpointId: string
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** Since when nothing but failures came back. */ failingSince: string | null
  /** Deliveries that wait or are under way. */ waiting: number
  /** Whether more wait than are counted. */ waitingIsMore: boolean
  /** Of the 50 newest deliveries, as the next two. */ pending: number
  delivered: number
  discarded: number
}

export type SiteWebhookEndpointHealthPage = {
  items: Array<SiteWebhookEndpointHealth>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SiteWebhookEndpointRead = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** The signing secret, `whsec_…` (Standard Webhooks). */ secret?: string
}

export type SiteWebhookEndpointWithSecret = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** The signing secret, `whsec_…` (Standard Webhooks). */ secret: string
}

export type StoredTemplatePreviewBody = {
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */ contactId?: string
  variables?: Record<string, unknown>
  /** Number of a version. */ version?: number
}

export type Suppression = {
  id: string
  /** An email address; stored in lower case. */ destination: string
  /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */ reason: 'bounce' | 'complaint' | 'manual'
  /** The words of the receiver, if it said something. */ detail: string | null
  /** The message that bounced or was complained about, if it is known. */ messageId: string | null
  createdAt: string
}

export type SuppressionBody = {
  /** An email address; stored in lower case. */ destination: string
  /** manual without it. The others are for lists of another service. */ reason?: 'bounce' | 'complaint' | 'manual'
}

export type SuppressionImport = {
  /** Addresses that are on the list now and were not before. */ added: number
  /** Addresses that were on it: they stay as they are. */ known: number
  /** Rows without an address, or with a reason that is none. */ failed: number
  /** The first 100 rows that failed. */ errors: Array<{
    /** Line of the file, from 1. */ line: number
    detail: string
  }>
}

export type SuppressionImportBody = {
  /** The file. */ csv: string
}

export type SuppressionPage = {
  items: Array<Suppression>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type System = {
  version: string
  readers: Array<{
    /** Reader of the log of events. */ group: string
    /** Age of the oldest row that it has not handled; 0 when it has handled all. */ lagSeconds: number
    /** Rows put aside because they could not be handled. */ parkedRows: number
  }>
  queues: Array<{
    queue: string
    /** Jobs that could start now. A queue with none is not in the list. */ ready: number
    oldestAgeSeconds: number
  }>
  heldStreams: Array<{
    /** Why mail waits. */ reason: string
    /** Streams of mail that wait for it, of all workspaces. */ streams: number
  }>
}

export type Tag = {
  id: string
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
  createdAt: string
}

export type TagBody = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
}

export type TagChange = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name?: string
}

export type TagCount = {
  /** How many contacts have the tag; exact. */ contactCount: number
}

export type TagPage = {
  items: Array<Tag>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type Template = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key: string | null
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  /** Counts up with each change of subject, body or text. */ version: number
  createdAt: string
  updatedAt: string
}

export type TemplateBody = {
  /** Trimmed. */ name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key?: string | null
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body?: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
}

export type TemplateChange = {
  /** Trimmed. */ name?: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key?: string | null
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body?: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
}

export type TemplatePreview = {
  subject: string
  /** Show it in a sandboxed frame only: it is as its author wrote it. */ html: string
  text: string
  /** The addresses of the links, as the person would follow them. */ links: Array<string>
  /** The variables that the template reads. */ variables: Array<string>
  /** Of these, what neither the person, the custom fields of the workspace nor the call has: a slip of the pen? */ unknownVariables: Array<string>
  warnings: Array<TemplateWarning>
}

export type TemplatePreviewBody = {
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */ contactId?: string
  variables?: Record<string, unknown>
}

export type TemplateSample = {
  key: string
  name: string
  description: string
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  /** Values for a preview of it, where it needs more than a contact has. */ variables: Record<string, unknown>
}

export type TemplateSamples = {
  items: Array<TemplateSample>
}

export type TemplateSummary = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key: string | null
  /** One line, with Liquid. */ subject: string
  /** Counts up with each change of subject, body or text. */ version: number
  createdAt: string
  updatedAt: string
}

export type TemplateSummaryPage = {
  items: Array<TemplateSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TemplateVersion = {
  /** Counts up with each change of subject, body or text. */ version: number
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  createdAt: string
}

export type TemplateVersionSummary = {
  /** Counts up with each change of subject, body or text. */ version: number
  /** One line, with Liquid. */ subject: string
  createdAt: string
}

export type TemplateVersionSummaryPage = {
  items: Array<TemplateVersionSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TemplateWarning = {
  /** The field it is about. */ pointer: string
  line: number | null
  detail: string
}

export type TimelineEntry = {
  at: string
  /** attempt: one that did not end with the message accepted. */ type: 'created' | 'attempt' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain' | 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Why: of an attempt what the reply means, else the reason of the status. */ reason: string | null
  /** The mail server's reply. */ reply: string | null
  /** The link, of a click. */ url: string | null
  /** Of an open or a click: a scanner or a proxy did it, as far as we see. */ byMachine: boolean | null
}

export type TimelineEvent = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */ type: string
  /** The name under which it is delivered. */ action: string
  /** As recorded. */ subjectId: string | null
  /** As recorded. */ email: string | null
  /** As recorded. */ phone: string | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
}

export type TokenInfo = {
  id: string
  name: string
  /** The part of the token that may be shown. */ prefix: string | null
  scopes: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'tokens:read' | 'tokens:write' | 'audit:read'>
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  createdAt: string
  updatedAt: string
}

export type TokenInfoPage = {
  items: Array<TokenInfo>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type Topic = {
  id: string
  /** Readers see it. */ name: string
  /** Readers see it below the name. */ description: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription: 'everyone' | 'opt_in'
  createdAt: string
  updatedAt: string
}

export type TopicBody = {
  /** Readers see it. */ name: string
  /** Readers see it below the name. */ description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription?: 'everyone' | 'opt_in'
}

export type TopicChange = {
  /** Readers see it. */ name?: string
  /** Readers see it below the name. */ description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription?: 'everyone' | 'opt_in'
}

export type TopicPage = {
  items: Array<Topic>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type Unsubscribe = {
  id: string
  /** An email address; stored in lower case. */ destination: string
  /** Unwanted mail: `broadcasts`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. */ sendingSource: string
  /** The message whose link was used, if one was. */ messageId: string | null
  createdAt: string
}

export type UnsubscribeBody = {
  /** An email address; stored in lower case. */ destination: string
  /** Unwanted mail: `broadcasts`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. Without it `broadcasts`. */ sendingSource?: string
}

export type UnsubscribePage = {
  items: Array<Unsubscribe>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type WebhookDelivery = {
  id: string
  /** The webhook-id header of every attempt. */ webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */ state: 'pending' | 'delivered' | 'discarded'
  /** Attempts that have ended. */ attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */ lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
}

export type WebhookDeliveryDetail = {
  id: string
  /** The webhook-id header of every attempt. */ webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */ state: 'pending' | 'delivered' | 'discarded'
  /** Attempts that have ended. */ attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */ lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
  /** The bytes that every attempt signs and sends. */ body: string
  attemptLog: Array<{
    attempt: number
    /** lost: our process ended before the answer was recorded; the receiver may have it. */ outcome: 'delivered' | 'failed' | 'refused' | 'lost'
    status: number | null
    error: string | null
    durationMs: number | null
    /** Beginning of the answer, at most 4 KiB. */ response: string | null
    startedAt: string
  }>
}

export type WebhookDeliveryList = {
  items: Array<WebhookDelivery>
  /** Absent on the last page. */ nextCursor?: string
}

export type WebhookEndpoint = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
}

export type WebhookEndpointBody = {
  /** Absolute http or https address. */ url: string
  eventTypes?: Array<string>
  enabled?: boolean
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */ secret?: string
}

export type WebhookEndpointChange = {
  /** Absolute http or https address. */ url?: string
  eventTypes?: Array<string>
  enabled?: boolean
}

export type WebhookEndpointPage = {
  items: Array<WebhookEndpoint>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type WebhookRecoverBody = {
  since: string
}

export type WebhookRotateBody = {
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */ secret?: string
}

export type Workspace = {
  id: string
  slug: string
  name: string
  /** Members without a second factor are kept out of the workspace until they have one. */ requireSecondFactor: boolean
  /** Audit entries older than this are deleted, the oldest first; null keeps them for ever. */ auditRetentionDays: number | null
  /** Of the pages and mails that the service writes to readers. */ language: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'
  /** A picture above those pages, and in the mail that asks for consent. */ logoUrl: string | null
  /** Of their buttons. */ color: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */ confirmedUrl: string | null
  /** Permissions of the person in it. */ permissions: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'tokens:read' | 'tokens:write' | 'audit:read' | 'members:read' | 'members:write' | 'workspace:write'>
  createdAt: string
  updatedAt: string
}

export type WorkspaceBody = {
  /** Its part of addresses. It stays. */ slug: string
  name: string
}

export type WorkspaceChange = {
  name?: string
  /** Members without a second factor are kept out of the workspace until they have one. */ requireSecondFactor?: boolean
  /** Audit entries older than this are deleted, the oldest first; null keeps them for ever. */ auditRetentionDays?: number | null
  /** Of the pages and mails that the service writes to readers. */ language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'
  /** A picture above those pages, and in the mail that asks for consent. */ logoUrl?: string | null
  /** Of their buttons. */ color?: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */ confirmedUrl?: string | null
}

/** Operations by method and path; those below a workspace without the path of the workspace. */
export type Operations = {
  'DELETE /automations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /broadcasts/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /contacts/imports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /contacts/{contactId}/tags/{name}': {
    params: { contactId: string; name: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /invitations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /mailbox': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
}
    body: undefined
    answer: ClearedMailbox
  }
  'DELETE /mailbox/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /members/{userId}/second-factor': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /segments/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /site/auth/sessions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /suppressions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /tags/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /templates/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /tokens/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /topics/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /unsubscribes/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /': {
    params: undefined
    query: undefined
    body: undefined
    answer: Workspace
  }
  'GET /audit-entries': {
    params: undefined
    query: {
  /** Only entries at or after this time. */ from?: string
  /** Only entries strictly before this time. */ to?: string
  /** Only entries by this kind of actor. */ actorKind?: 'user' | 'api_token' | 'operator' | 'system'
  /** Only entries by this user or API token; ignored when actorKind is operator. */ actorId?: string
  /** Exact match on the action. */ action?: string
  /** Only entries about this type of target. */ targetType?: string
  /** Only entries about the target with this id. */ targetId?: string
  /** Only entries from this client address. */ ip?: string
  /** Only entries made under this request id. */ requestId?: string
  /** nextCursor of the page before. */ cursor?: string
  /** Page size. */ limit?: number
}
    body: undefined
    answer: AuditEntryList
  }
  'GET /audit-entries/export': {
    params: undefined
    query: {
  /** csv when absent; jsonl is one entry as JSON a line. */ format?: 'csv' | 'jsonl'
  /** Only entries at or after this time. */ from?: string
  /** Only entries strictly before this time. */ to?: string
  /** Only entries by this kind of actor. */ actorKind?: 'user' | 'api_token' | 'operator' | 'system'
  /** Only entries by this user or API token; ignored when actorKind is operator. */ actorId?: string
  /** Exact match on the action. */ action?: string
  /** Only entries about this type of target. */ targetType?: string
  /** Only entries about the target with this id. */ targetId?: string
  /** Only entries from this client address. */ ip?: string
  /** Only entries made under this request id. */ requestId?: string
}
    body: undefined
    answer: string
  }
  'GET /audit-entries/verify': {
    params: undefined
    query: undefined
    body: undefined
    answer: AuditChainState
  }
  'GET /automations': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  status?: 'draft' | 'active' | 'closed' | 'paused' | 'stopped'
  /** Only those whose name contains this text. */ search?: string
}
    body: undefined
    answer: AutomationPage
  }
  'GET /automations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'GET /automations/{id}/counts': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: AutomationCounts
  }
  'GET /automations/{id}/explain': {
    params: { id: string }
    query: {
  /** Required: whom to explain. */ contactId?: string
}
    body: undefined
    answer: AutomationExplanation
  }
  'GET /automations/{id}/runs': {
    params: { id: string }
    query: {
  state?: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  node?: string
  contactId?: string
  limit?: number
  cursor?: string
}
    body: undefined
    answer: AutomationRunPage
  }
  'GET /automations/{id}/runs/{runId}': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationRunTrace
  }
  'GET /automations/{id}/versions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: AutomationVersionSummaryPage
  }
  'GET /automations/{id}/versions/{version}': {
    params: { id: string; version: string }
    query: undefined
    body: undefined
    answer: AutomationVersion
  }
  'GET /broadcasts': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Ascending by id when absent; `-id`: newest first. */ sort?: 'id' | '-id'
  status?: 'draft' | 'scheduled' | 'sending' | 'paused' | 'sent' | 'canceled' | 'failed'
  /** Only those whose name contains this text. */ search?: string
}
    body: undefined
    answer: BroadcastListItemPage
  }
  'GET /broadcasts/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Broadcast
  }
  'GET /broadcasts/{id}/explain': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastExplanation
  }
  'GET /broadcasts/{id}/preflight': {
    params: { id: string }
    query: {
  /** Asks the servers behind its links, 20 at most, whether they answer. */ checkLinks?: boolean
}
    body: undefined
    answer: BroadcastPreflight
  }
  'GET /broadcasts/{id}/recipients': {
    params: { id: string }
    query: {
  /** Only those of whom a person clicked the link at this position (`links` of the report). */ link?: number
  state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only those with this reason. */ reason?: string
  /** Only those of whom this came back. */ mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Only this contact. */ contactId?: string
  /** Only this address. */ destination?: string
  /** The `nextCursor` of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: BroadcastRecipientList
  }
  'GET /broadcasts/{id}/recipients/export': {
    params: { id: string }
    query: {
  /** Only those of whom a person clicked the link at this position (`links` of the report). */ link?: number
  state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only those with this reason. */ reason?: string
  /** Only those of whom this came back. */ mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Only this contact. */ contactId?: string
  /** Only this address. */ destination?: string
}
    body: undefined
    answer: string
  }
  'GET /broadcasts/{id}/recipients/{contactId}/explain': {
    params: { id: string; contactId: string }
    query: undefined
    body: undefined
    answer: BroadcastRecipientExplanation
  }
  'GET /broadcasts/{id}/report': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastReport
  }
  'GET /broadcasts/{id}/series': {
    params: { id: string }
    query: {
  /** Taken back to the beginning of its hour or day. */ from?: string
  /** Now when absent. */ to?: string
  /** Absent: `day` of a workspace, `hour` of a broadcast. */ interval?: 'hour' | 'day'
  /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */ timeZone?: string
}
    body: undefined
    answer: MailSeries
  }
  'GET /contacts': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Ascending by id when absent; `-id`: newest first. */ sort?: 'id' | '-id'
  /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
  /** Only the contact with this address. */ email?: string
  /** Only the contact with this subjectId. */ subjectId?: string
  /** Only the contact with this phone number. */ phone?: string
  /** Only contacts that have the tag of this name. */ tag?: string
  /** Only contacts that are in this segment now. */ segmentId?: string
  /** Only contacts created or changed at or after this time. */ updatedSince?: string
}
    body: undefined
    answer: ContactPage
  }
  'GET /contacts/exports': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactExportPage
  }
  'GET /contacts/exports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactExport
  }
  'GET /contacts/exports/{id}/file': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: string
  }
  'GET /contacts/imports': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactImportPage
  }
  'GET /contacts/imports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactImport
  }
  'GET /contacts/imports/{id}/errors': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactImportErrorPage
  }
  'GET /contacts/imports/{id}/errors.csv': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: string
  }
  'GET /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: Contact
  }
  'GET /contacts/{contactId}/consents': {
    params: { contactId: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ConsentEntryPage
  }
  'GET /contacts/{contactId}/events': {
    params: { contactId: string }
    query: {
  /** Only events of this name. */ action?: string
  /** Only events that occurred at or after it. */ from?: string
  /** Only events that occurred before it. */ to?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: ContactTimeline
  }
  'GET /contacts/{contactId}/export': {
    params: { contactId: string }
    query: {
  /** nextCursor of the document before. */ cursor?: string
}
    body: undefined
    answer: PersonalData
  }
  'GET /contacts/{contactId}/merges': {
    params: { contactId: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactMergePage
  }
  'GET /contacts/{contactId}/tags': {
    params: { contactId: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TagPage
  }
  'GET /contacts/{contactId}/topics': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: ContactTopicList
  }
  'GET /custom-fields': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only the field of this key. */ key?: string
}
    body: undefined
    answer: SiteCustomFieldPage
  }
  'GET /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CustomField
  }
  'GET /custom-fields/{id}/retype': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CustomFieldRetype
  }
  'GET /emails': {
    params: undefined
    query: {
  /** Only to this address. */ destination?: string
  /** Only to this contact. */ contactId?: string
  status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EmailList
  }
  'GET /emails/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: EmailDetail
  }
  'GET /events': {
    params: undefined
    query: {
  /** Only events of this name. */ action?: string
  /** Only events recorded at or after it. */ from?: string
  /** Only events recorded before it. */ to?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EventList
  }
  'GET /events/actions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only names that contain this text. */ search?: string
}
    body: undefined
    answer: EventActionPage
  }
  'GET /feedback-hooks': {
    params: undefined
    query: undefined
    body: undefined
    answer: FeedbackHooks
  }
  'GET /integrations': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  channel?: 'email'
  provider?: 'smtp' | 'ses'
  enabled?: boolean
}
    body: undefined
    answer: IntegrationPage
  }
  'GET /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Integration
  }
  'GET /invitations': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: InvitationPage
  }
  'GET /mailbox': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: CaughtMailList
  }
  'GET /mailbox/wait': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
  /** Only mail that arrived after this one. */ after?: string
  /** With 0 it looks once. */ timeoutSeconds?: number
}
    body: undefined
    answer: CaughtMail
  }
  'GET /mailbox/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CaughtMailDetail
  }
  'GET /members': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: MemberPage
  }
  'GET /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: Member
  }
  'GET /messages': {
    params: undefined
    query: {
  status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only what was sent this way. */ surface?: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** Only single messages from this template. */ templateId?: string
  /** Only those of this time on. */ from?: string
  /** Only those of before this time. */ to?: string
  /** Only to this address. */ destination?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EmailList
  }
  'GET /messages/{id}/content': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: MessageContent
  }
  'GET /messages/{id}/explain': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: MessageExplanation
  }
  'GET /overview': {
    params: undefined
    query: {
  /** Taken back to the beginning of its hour or day. */ from?: string
  /** Now when absent. */ to?: string
  /** Absent: `day` of a workspace, `hour` of a broadcast. */ interval?: 'hour' | 'day'
  /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */ timeZone?: string
}
    body: undefined
    answer: Overview
  }
  'GET /segments': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only segments whose name contains this text. */ search?: string
}
    body: undefined
    answer: SegmentPage
  }
  'GET /segments/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Segment
  }
  'GET /segments/{id}/contacts/{contactId}/explain': {
    params: { id: string; contactId: string }
    query: undefined
    body: undefined
    answer: SegmentMembership
  }
  'GET /segments/{id}/preview': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SegmentPreview
  }
  'GET /sending-domains': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only domains that contain this text. */ search?: string
  /** Only domains that are verified, or are not. */ verified?: boolean
}
    body: undefined
    answer: SendingDomainPage
  }
  'GET /sending-domains/rates': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** The days before now. */ windowDays?: number
}
    body: undefined
    answer: SendingDomainRatesPage
  }
  'GET /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomain
  }
  'GET /sending-domains/{id}/checks': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomainChecks
  }
  'GET /sending-settings': {
    params: undefined
    query: undefined
    body: undefined
    answer: SendingSettings
  }
  'GET /site/auth/me': {
    params: undefined
    query: undefined
    body: undefined
    answer: Account
  }
  'GET /site/auth/password-reset/{token}': {
    params: { token: string }
    query: undefined
    body: undefined
    answer: OpenPasswordReset
  }
  'GET /site/auth/second-factor': {
    params: undefined
    query: undefined
    body: undefined
    answer: SecondFactorState
  }
  'GET /site/auth/session': {
    params: undefined
    query: undefined
    body: undefined
    answer: Session
  }
  'GET /site/auth/sessions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: SessionInfoPage
  }
  'GET /site/invitations/{token}': {
    params: { token: string }
    query: undefined
    body: undefined
    answer: OpenInvitation
  }
  'GET /site/restoration': {
    params: undefined
    query: undefined
    body: undefined
    answer: Restoration
  }
  'GET /site/system': {
    params: undefined
    query: undefined
    body: undefined
    answer: System
  }
  'GET /site/workspaces': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: MembershipPage
  }
  'GET /suppressions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only the one of this address. */ destination?: string
  /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */ reason?: 'bounce' | 'complaint' | 'manual'
  /** Only those made at or after this time. */ createdSince?: string
}
    body: undefined
    answer: SuppressionPage
  }
  'GET /suppressions/export': {
    params: undefined
    query: undefined
    body: undefined
    answer: string
  }
  'GET /suppressions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Suppression
  }
  'GET /tags': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only tags with this text in their name, whatever the case of its letters. */ search?: string
}
    body: undefined
    answer: CountedTagPage
  }
  'GET /tags/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Tag
  }
  'GET /tags/{id}/count': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: TagCount
  }
  'GET /templates': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only templates whose name contains this text. */ search?: string
}
    body: undefined
    answer: TemplateSummaryPage
  }
  'GET /templates/samples': {
    params: undefined
    query: undefined
    body: undefined
    answer: TemplateSamples
  }
  'GET /templates/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Template
  }
  'GET /templates/{id}/versions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TemplateVersionSummaryPage
  }
  'GET /templates/{id}/versions/{version}': {
    params: { id: string; version: string }
    query: undefined
    body: undefined
    answer: TemplateVersion
  }
  'GET /tokens': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TokenInfoPage
  }
  'GET /topics': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TopicPage
  }
  'GET /topics/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Topic
  }
  'GET /unsubscribes': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only those of this address. */ destination?: string
}
    body: undefined
    answer: UnsubscribePage
  }
  'GET /webhooks': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: WebhookEndpointPage
  }
  'GET /webhooks/health': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: SiteWebhookEndpointHealthPage
  }
  'GET /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SiteWebhookEndpointRead
  }
  'GET /webhooks/{id}/deliveries': {
    params: { id: string }
    query: {
  state?: 'pending' | 'delivered' | 'discarded'
  eventType?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: WebhookDeliveryList
  }
  'GET /webhooks/{id}/deliveries/{deliveryId}': {
    params: { id: string; deliveryId: string }
    query: undefined
    body: undefined
    answer: WebhookDeliveryDetail
  }
  'PATCH /': {
    params: undefined
    query: undefined
    body: WorkspaceChange
    answer: Workspace
  }
  'PATCH /automations/{id}': {
    params: { id: string }
    query: undefined
    body: AutomationChange
    answer: Automation
  }
  'PATCH /broadcasts/{id}': {
    params: { id: string }
    query: undefined
    body: BroadcastChange
    answer: Broadcast
  }
  'PATCH /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: ContactBody
    answer: Contact
  }
  'PATCH /custom-fields/{id}': {
    params: { id: string }
    query: undefined
    body: CustomFieldChange
    answer: CustomField
  }
  'PATCH /feedback-hooks': {
    params: undefined
    query: undefined
    body: FeedbackHooksChange
    answer: FeedbackHooks
  }
  'PATCH /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: IntegrationChange
    answer: Integration
  }
  'PATCH /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: MemberRoleBody
    answer: Member
  }
  'PATCH /segments/{id}': {
    params: { id: string }
    query: undefined
    body: SegmentChange
    answer: Segment
  }
  'PATCH /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: SendingDomainChange
    answer: SendingDomain
  }
  'PATCH /sending-settings': {
    params: undefined
    query: undefined
    body: SendingSettingsChange
    answer: SendingSettings
  }
  'PATCH /site/auth/me': {
    params: undefined
    query: undefined
    body: AccountChange
    answer: Account
  }
  'PATCH /tags/{id}': {
    params: { id: string }
    query: undefined
    body: TagChange
    answer: Tag
  }
  'PATCH /templates/{id}': {
    params: { id: string }
    query: undefined
    body: TemplateChange
    answer: Template
  }
  'PATCH /topics/{id}': {
    params: { id: string }
    query: undefined
    body: TopicChange
    answer: Topic
  }
  'PATCH /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: WebhookEndpointChange
    answer: WebhookEndpoint
  }
  'POST /automations': {
    params: undefined
    query: undefined
    body: AutomationBody
    answer: Automation
  }
  'POST /automations/{id}/activate': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'POST /automations/{id}/deactivate': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'POST /automations/{id}/enroll': {
    params: { id: string }
    query: undefined
    body: AutomationEnrollBody
    answer: AutomationEnrolled
  }
  'POST /automations/{id}/parked/exit': {
    params: { id: string }
    query: undefined
    body: AutomationParkedBody
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/parked/retry': {
    params: { id: string }
    query: undefined
    body: AutomationParkedBody
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/pause': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'POST /automations/{id}/resume': {
    params: { id: string }
    query: undefined
    body: AutomationResumeBody
    answer: Automation
  }
  'POST /automations/{id}/runs/{runId}/exit': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/runs/{runId}/retry': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/stop': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'POST /broadcasts': {
    params: undefined
    query: undefined
    body: BroadcastBody
    answer: Broadcast
  }
  'POST /broadcasts/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/pause': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/resolve-uncertain': {
    params: { id: string }
    query: undefined
    body: BroadcastResolveBody
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/resume': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/retry-failed': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/schedule': {
    params: { id: string }
    query: undefined
    body: BroadcastScheduleBody
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/send': {
    params: { id: string }
    query: undefined
    body: BroadcastSendBody
    answer: BroadcastSummary
  }
  'POST /broadcasts/{id}/test-send': {
    params: { id: string }
    query: undefined
    body: BroadcastTestSendBody
    answer: null
  }
  'POST /broadcasts/{id}/unschedule': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: BroadcastSummary
  }
  'POST /contacts': {
    params: undefined
    query: undefined
    body: ContactBody
    answer: Contact
  }
  'POST /contacts/batch': {
    params: undefined
    query: undefined
    body: ContactBatchBody
    answer: ContactBatchResults
  }
  'POST /contacts/exports': {
    params: undefined
    query: undefined
    body: ContactExportBody
    answer: ContactExport
  }
  'POST /contacts/imports': {
    params: undefined
    query: {
  /** Start at once, by the suggested mapping. */ start?: boolean
  /** The name of the file. */ fileName?: string
}
    body: ContactImportBody
    answer: ContactImport
  }
  'POST /contacts/imports/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactImport
  }
  'POST /contacts/imports/{id}/start': {
    params: { id: string }
    query: undefined
    body: ContactImportStartBody
    answer: ContactImport
  }
  'POST /contacts/{contactId}/confirmation-request': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: ConfirmationRequest
  }
  'POST /contacts/{contactId}/merge': {
    params: { contactId: string }
    query: undefined
    body: ContactMergeBody
    answer: Contact
  }
  'POST /contacts/{contactId}/tags': {
    params: { contactId: string }
    query: undefined
    body: TagBody
    answer: Tag
  }
  'POST /custom-fields': {
    params: undefined
    query: undefined
    body: CustomFieldBody
    answer: CustomField
  }
  'POST /custom-fields/{id}/retype': {
    params: { id: string }
    query: undefined
    body: CustomFieldRetypeBody
    answer: CustomFieldRetype
  }
  'POST /emails': {
    params: undefined
    query: undefined
    body: EmailBody
    answer: QueuedEmail
  }
  'POST /emails/batch': {
    params: undefined
    query: undefined
    body: EmailBatchBody
    answer: EmailBatchResults
  }
  'POST /emails/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: EmailDetail
  }
  'POST /emails/{id}/resolve': {
    params: { id: string }
    query: undefined
    body: ResolveEmailBody
    answer: EmailDetail
  }
  'POST /feedback-hooks/rotate': {
    params: undefined
    query: undefined
    body: undefined
    answer: FeedbackHooks
  }
  'POST /integrations': {
    params: undefined
    query: undefined
    body: IntegrationBody
    answer: Integration
  }
  'POST /integrations/test': {
    params: undefined
    query: undefined
    body: IntegrationTestBody
    answer: IntegrationTestResult
  }
  'POST /integrations/{id}/test': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: IntegrationTestResult
  }
  'POST /invitations': {
    params: undefined
    query: undefined
    body: InvitationBody
    answer: SentInvitation
  }
  'POST /invitations/{id}/resend': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SentInvitation
  }
  'POST /leave': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
  'POST /segments': {
    params: undefined
    query: undefined
    body: SegmentBody
    answer: Segment
  }
  'POST /segments/preview': {
    params: undefined
    query: undefined
    body: SegmentPreviewBody
    answer: SegmentPreview
  }
  'POST /sending-domains': {
    params: undefined
    query: undefined
    body: SendingDomainBody
    answer: SendingDomain
  }
  'POST /sending-domains/{id}/rotate-key': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomainChecks
  }
  'POST /sending-domains/{id}/verify': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomain
  }
  'POST /site/auth/login': {
    params: undefined
    query: undefined
    body: LogInBody
    answer: Session | SecondFactorRequired
  }
  'POST /site/auth/logout': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
  'POST /site/auth/password': {
    params: undefined
    query: undefined
    body: PasswordBody
    answer: null
  }
  'POST /site/auth/password-reset': {
    params: undefined
    query: undefined
    body: PasswordResetRequestBody
    answer: PasswordResetRequested
  }
  'POST /site/auth/password-reset/{token}': {
    params: { token: string }
    query: undefined
    body: PasswordResetBody
    answer: null
  }
  'POST /site/auth/second-factor': {
    params: undefined
    query: undefined
    body: SecondStepBody
    answer: Session
  }
  'POST /site/auth/second-factor/confirm': {
    params: undefined
    query: undefined
    body: SecondFactorConfirmBody
    answer: RecoveryCodes
  }
  'POST /site/auth/second-factor/disable': {
    params: undefined
    query: undefined
    body: SecondFactorCodeBody
    answer: null
  }
  'POST /site/auth/second-factor/enrol': {
    params: undefined
    query: undefined
    body: SecondFactorEnrolBody
    answer: SecondFactorEnrolment
  }
  'POST /site/auth/second-factor/recovery-codes': {
    params: undefined
    query: undefined
    body: SecondFactorCodeBody
    answer: RecoveryCodes
  }
  'POST /site/auth/sessions/end-others': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
  'POST /site/invitations/{token}': {
    params: { token: string }
    query: undefined
    body: InvitationAcceptBody
    answer: Session
  }
  'POST /site/restoration/confirm': {
    params: undefined
    query: undefined
    body: RestorationConfirmation
    answer: RestorationConfirmed
  }
  'POST /site/workspaces': {
    params: undefined
    query: undefined
    body: WorkspaceBody
    answer: Membership
  }
  'POST /suppressions': {
    params: undefined
    query: undefined
    body: SuppressionBody
    answer: Suppression
  }
  'POST /suppressions/import': {
    params: undefined
    query: {
  /** Why, for rows that do not say it. manual without it. */ reason?: 'bounce' | 'complaint' | 'manual'
}
    body: SuppressionImportBody
    answer: SuppressionImport
  }
  'POST /tags': {
    params: undefined
    query: undefined
    body: TagBody
    answer: Tag
  }
  'POST /templates': {
    params: undefined
    query: undefined
    body: TemplateBody
    answer: Template
  }
  'POST /templates/preview': {
    params: undefined
    query: undefined
    body: TemplatePreviewBody
    answer: TemplatePreview
  }
  'POST /templates/{id}/preview': {
    params: { id: string }
    query: undefined
    body: StoredTemplatePreviewBody
    answer: TemplatePreview
  }
  'POST /templates/{id}/versions/{version}/restore': {
    params: { id: string; version: string }
    query: undefined
    body: undefined
    answer: Template
  }
  'POST /tokens': {
    params: undefined
    query: undefined
    body: NewToken
    answer: MadeToken
  }
  'POST /topics': {
    params: undefined
    query: undefined
    body: TopicBody
    answer: Topic
  }
  'POST /unsubscribes': {
    params: undefined
    query: undefined
    body: UnsubscribeBody
    answer: Unsubscribe
  }
  'POST /webhooks': {
    params: undefined
    query: undefined
    body: WebhookEndpointBody
    answer: WebhookEndpoint
  }
  'POST /webhooks/{id}/deliveries/{deliveryId}/resend': {
    params: { id: string; deliveryId: string }
    query: undefined
    body: undefined
    answer: WebhookDelivery
  }
  'POST /webhooks/{id}/recover': {
    params: { id: string }
    query: undefined
    body: WebhookRecoverBody
    answer: WebhookEndpoint
  }
  'POST /webhooks/{id}/rotate-secret': {
    params: { id: string }
    query: undefined
    body: WebhookRotateBody
    answer: SiteWebhookEndpointWithSecret
  }
  'POST /webhooks/{id}/test': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: WebhookDelivery
  }
  'PUT /broadcasts/{id}/audience': {
    params: { id: string }
    query: undefined
    body: BroadcastAudienceBody
    answer: Broadcast
  }
  'PUT /contacts/{contactId}/topics/{topicId}': {
    params: { contactId: string; topicId: string }
    query: undefined
    body: ContactTopicBody
    answer: ContactTopic
  }
}

/** Operations that programs have too, under `/api` and the same path. */
export type ApiOperation =
  | 'DELETE /automations/{id}'
  | 'DELETE /broadcasts/{id}'
  | 'DELETE /contacts/imports/{id}'
  | 'DELETE /contacts/{contactId}'
  | 'DELETE /contacts/{contactId}/tags/{name}'
  | 'DELETE /custom-fields/{id}'
  | 'DELETE /integrations/{id}'
  | 'DELETE /mailbox'
  | 'DELETE /mailbox/{id}'
  | 'DELETE /segments/{id}'
  | 'DELETE /sending-domains/{id}'
  | 'DELETE /suppressions/{id}'
  | 'DELETE /tags/{id}'
  | 'DELETE /templates/{id}'
  | 'DELETE /topics/{id}'
  | 'DELETE /unsubscribes/{id}'
  | 'DELETE /webhooks/{id}'
  | 'GET /audit-entries'
  | 'GET /audit-entries/export'
  | 'GET /audit-entries/verify'
  | 'GET /automations'
  | 'GET /automations/{id}'
  | 'GET /automations/{id}/counts'
  | 'GET /automations/{id}/explain'
  | 'GET /automations/{id}/runs'
  | 'GET /automations/{id}/runs/{runId}'
  | 'GET /automations/{id}/versions'
  | 'GET /automations/{id}/versions/{version}'
  | 'GET /broadcasts'
  | 'GET /broadcasts/{id}'
  | 'GET /broadcasts/{id}/explain'
  | 'GET /broadcasts/{id}/preflight'
  | 'GET /broadcasts/{id}/recipients'
  | 'GET /broadcasts/{id}/recipients/export'
  | 'GET /broadcasts/{id}/recipients/{contactId}/explain'
  | 'GET /broadcasts/{id}/report'
  | 'GET /broadcasts/{id}/series'
  | 'GET /contacts'
  | 'GET /contacts/exports'
  | 'GET /contacts/exports/{id}'
  | 'GET /contacts/exports/{id}/file'
  | 'GET /contacts/imports'
  | 'GET /contacts/imports/{id}'
  | 'GET /contacts/imports/{id}/errors'
  | 'GET /contacts/imports/{id}/errors.csv'
  | 'GET /contacts/{contactId}'
  | 'GET /contacts/{contactId}/consents'
  | 'GET /contacts/{contactId}/events'
  | 'GET /contacts/{contactId}/export'
  | 'GET /contacts/{contactId}/merges'
  | 'GET /contacts/{contactId}/tags'
  | 'GET /contacts/{contactId}/topics'
  | 'GET /custom-fields'
  | 'GET /custom-fields/{id}'
  | 'GET /custom-fields/{id}/retype'
  | 'GET /emails'
  | 'GET /emails/{id}'
  | 'GET /events'
  | 'GET /events/actions'
  | 'GET /integrations'
  | 'GET /integrations/{id}'
  | 'GET /mailbox'
  | 'GET /mailbox/wait'
  | 'GET /mailbox/{id}'
  | 'GET /messages'
  | 'GET /messages/{id}/content'
  | 'GET /messages/{id}/explain'
  | 'GET /overview'
  | 'GET /segments'
  | 'GET /segments/{id}'
  | 'GET /segments/{id}/contacts/{contactId}/explain'
  | 'GET /segments/{id}/preview'
  | 'GET /sending-domains'
  | 'GET /sending-domains/rates'
  | 'GET /sending-domains/{id}'
  | 'GET /sending-domains/{id}/checks'
  | 'GET /sending-settings'
  | 'GET /suppressions'
  | 'GET /suppressions/export'
  | 'GET /suppressions/{id}'
  | 'GET /tags'
  | 'GET /tags/{id}'
  | 'GET /tags/{id}/count'
  | 'GET /templates'
  | 'GET /templates/samples'
  | 'GET /templates/{id}'
  | 'GET /templates/{id}/versions'
  | 'GET /templates/{id}/versions/{version}'
  | 'GET /topics'
  | 'GET /topics/{id}'
  | 'GET /unsubscribes'
  | 'GET /webhooks'
  | 'GET /webhooks/{id}'
  | 'GET /webhooks/{id}/deliveries'
  | 'GET /webhooks/{id}/deliveries/{deliveryId}'
  | 'PATCH /automations/{id}'
  | 'PATCH /broadcasts/{id}'
  | 'PATCH /contacts/{contactId}'
  | 'PATCH /custom-fields/{id}'
  | 'PATCH /integrations/{id}'
  | 'PATCH /segments/{id}'
  | 'PATCH /sending-domains/{id}'
  | 'PATCH /sending-settings'
  | 'PATCH /tags/{id}'
  | 'PATCH /templates/{id}'
  | 'PATCH /topics/{id}'
  | 'PATCH /webhooks/{id}'
  | 'POST /automations'
  | 'POST /automations/{id}/activate'
  | 'POST /automations/{id}/deactivate'
  | 'POST /automations/{id}/enroll'
  | 'POST /automations/{id}/parked/exit'
  | 'POST /automations/{id}/parked/retry'
  | 'POST /automations/{id}/pause'
  | 'POST /automations/{id}/resume'
  | 'POST /automations/{id}/runs/{runId}/exit'
  | 'POST /automations/{id}/runs/{runId}/retry'
  | 'POST /automations/{id}/stop'
  | 'POST /broadcasts'
  | 'POST /broadcasts/{id}/cancel'
  | 'POST /broadcasts/{id}/pause'
  | 'POST /broadcasts/{id}/resolve-uncertain'
  | 'POST /broadcasts/{id}/resume'
  | 'POST /broadcasts/{id}/retry-failed'
  | 'POST /broadcasts/{id}/schedule'
  | 'POST /broadcasts/{id}/send'
  | 'POST /broadcasts/{id}/test-send'
  | 'POST /broadcasts/{id}/unschedule'
  | 'POST /contacts'
  | 'POST /contacts/batch'
  | 'POST /contacts/exports'
  | 'POST /contacts/imports'
  | 'POST /contacts/imports/{id}/cancel'
  | 'POST /contacts/imports/{id}/start'
  | 'POST /contacts/{contactId}/confirmation-request'
  | 'POST /contacts/{contactId}/merge'
  | 'POST /contacts/{contactId}/tags'
  | 'POST /custom-fields'
  | 'POST /custom-fields/{id}/retype'
  | 'POST /emails'
  | 'POST /emails/batch'
  | 'POST /emails/{id}/cancel'
  | 'POST /emails/{id}/resolve'
  | 'POST /integrations'
  | 'POST /integrations/test'
  | 'POST /integrations/{id}/test'
  | 'POST /segments'
  | 'POST /segments/preview'
  | 'POST /sending-domains'
  | 'POST /sending-domains/{id}/rotate-key'
  | 'POST /sending-domains/{id}/verify'
  | 'POST /suppressions'
  | 'POST /suppressions/import'
  | 'POST /tags'
  | 'POST /templates'
  | 'POST /templates/preview'
  | 'POST /templates/{id}/preview'
  | 'POST /templates/{id}/versions/{version}/restore'
  | 'POST /topics'
  | 'POST /unsubscribes'
  | 'POST /webhooks'
  | 'POST /webhooks/{id}/deliveries/{deliveryId}/resend'
  | 'POST /webhooks/{id}/recover'
  | 'POST /webhooks/{id}/rotate-secret'
  | 'POST /webhooks/{id}/test'
  | 'PUT /broadcasts/{id}/audience'
  | 'PUT /contacts/{contactId}/topics/{topicId}'
