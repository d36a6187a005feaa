// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { MailCounts, MailPoint } from './shared.ts'

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
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds?: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds?: Array<string>
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
  /** Contacts of any of these; of none: every contact with an address. */ segmentIds?: Array<string>
  /** Contacts in one of these are left out. */ excludedSegmentIds?: Array<string>
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

export type BroadcastHeatMap = {
  subject: string
  /** The mail as a person got it. The address of each link that is counted is `link:` and its position. */ html: string
  /** In the order of the template: those of this mail, and those that were clicked in another’s. */ links: Array<{
    /** Of the link in the template, from 0. */ position: number
    /** Where it leads this person; of one that they did not get, where it led the last time. */ url: string
    /** Whether it is in the mail as this person got it. */ isShown: boolean
    /** Clicks of people. */ clickCount: number
    /** Messages in which people clicked it. */ clickedCount: number
    /** Clicks of machines, which are in no other number. */ machineClickCount: number
  }>
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
  /** Until when it is known who has opened it: so long it can be drafted again for those who have not. Null before it starts. */ openersKnownUntil: string | null
}

export type BroadcastResolveBody = {
  /** `sent`: take them for accepted. `retry`: send them again; some may arrive twice. */ as: 'sent' | 'retry'
}

export type BroadcastScheduleBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */ expectedCount?: number
  /** `updatedAt` of the broadcast that somebody has looked at: when it was changed since, nothing happens and the answer is 409. */ expectedUpdatedAt?: string
  /** When it starts: a time to come. */ scheduledAt?: string
  /** Instead: a date and time without zone, at which it is due to each contact in its own zone. */ localTime?: string
  /** With `localTime`: the IANA zone of contacts that have none. UTC when absent. */ timeZone?: string
}

export type BroadcastSendBody = {
  /** `recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, nothing happens and the answer is 409 `audience-changed` with `count`, the number it is. */ expectedCount?: number
  /** `updatedAt` of the broadcast that somebody has looked at: when it was changed since, nothing happens and the answer is 409. */ expectedUpdatedAt?: string
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
  /** Further addresses, each of which gets a mail of its own. One that is given twice gets one. */ alsoTo?: Array<string>
  /** The contact it is rendered for; needs `contacts:read`. Without: a sample person. */ contactId?: string
  /** Refused unless each address is that of a member of the workspace. */ toMembersOnly?: boolean
}

export type BroadcastUnopenedBody = {
  /** Whether mail that a machine alone has opened, as privacy proxies do, counts as opened too. Absent: no, as nobody may have read it. */ machineOpensCount?: boolean
}

export type MailSeries = {
  /** The beginning of the first hour or day. */ from: string
  /** Its end; the last hour or day may go beyond it. */ to: string
  interval: 'hour' | 'day'
  /** The zone of the days. */ timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */ series: Array<MailPoint>
  totals: MailCounts
}

export type BroadcastsOperations = {
  'DELETE /broadcasts/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
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
  'GET /broadcasts/{id}/heat-map': {
    params: { id: string }
    query: {
  /** As whom it is shown, which needs the scope contacts:read; else a sample person. */ contactId?: string
}
    body: undefined
    answer: BroadcastHeatMap
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
  'PATCH /broadcasts/{id}': {
    params: { id: string }
    query: undefined
    body: BroadcastChange
    answer: Broadcast
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
  'POST /broadcasts/{id}/draft-for-unopened': {
    params: { id: string }
    query: undefined
    body: BroadcastUnopenedBody
    answer: Broadcast
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
  'PUT /broadcasts/{id}/audience': {
    params: { id: string }
    query: undefined
    body: BroadcastAudienceBody
    answer: Broadcast
  }
}
