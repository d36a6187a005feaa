// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { AutomationRunStep, ConsentEntry, Contact } from './shared.ts'

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

export type ContactAutomationRun = {
  id: string
  version: number
  state: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  /** Why it has exited. */ reason: string | null
  /** Where it stands, or ended. */ node: string | null
  /** The moment of the event that brought it in. */ enteredAt: string
  /** When its timer ends, if it waits. */ dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */ error: string | null
  automationId: string
  automationName: string
}

export type ContactAutomationRunPage = {
  items: Array<ContactAutomationRun>
  /** Absent on the last page. */ nextCursor?: string
}

export type ContactBatchBody = {
  contacts: Array<ContactBody | unknown>
  /** fill, when absent: of a contact that is there, core fields that are blank get a value. overwrite: those that an item states are replaced, and null clears one. Custom fields are merged by key in both. */ mode?: 'fill' | 'overwrite'
}

export type ContactBatchResults = {
  /** One for each item, in their order. */ results: Array<{
    /** Position in the request, from 0. */ index: number
    /** updated: the contact was there; `changed` tells whether the item changed it. failed: nothing was done. */ status: 'created' | 'updated' | 'failed'
    contactId?: string
    /** Of an updated one: whether a field has another value now. Tags are given all the same. */ changed?: boolean
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
  /** Names of tags it gets; none is taken off. One that nobody has is made. */ tags?: Array<string>
}

export type ContactChange = {
  /** Your own id of the person; unique in the workspace. */ subjectId?: string | null
  /** Unique in the workspace; stored in lower case. */ email?: string | null
  /** Unique in the workspace. */ phone?: string | null
  /** Given name. */ firstName?: string | null
  /** Family name. */ lastName?: string | null
  /** IANA time zone. */ timeZone?: string | null
  customFields?: Record<string, unknown> | null
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

export type ContactVisitor = {
  visitorId: string
  /** claimed: a page has said so. link: a link of a mail of ours was followed in it. confirmed: the person has by mail. signed: your server has. */ proof: 'none' | 'claimed' | 'link' | 'confirmed' | 'signed'
  firstSeen: string
  /** The day on which it was last said. */ lastSeen: string
}

export type ContactVisitorList = {
  items: Array<ContactVisitor>
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

export type PersonAutomationRun = {
  id: string
  automationId: string
  automationName: string
  version: number
  state: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  /** Why it has exited. */ reason: string | null
  /** The value that tells entries of one contact apart. */ entryKey: string
  /** The moment of the event that brought it in. */ enteredAt: string
  endedAt: string | null
  /** When it reached the goal. */ goalAt: string | null
  /** Variables as they are, or were when it ended. */ variables: Record<string, unknown>
  /** Its trace; of all runs at most 10,000 steps, the newest runs first. */ steps: Array<AutomationRunStep>
}

export type PersonSubmission = {
  id: string
  formId: string
  /** The name of the form. */ form: string
  version: number
  state: 'pending' | 'confirmed' | 'expired' | 'refused'
  reason: 'blocked' | 'address_budget' | 'suppressed' | 'unsubscribed' | null
  /** What stood above the button. */ consentWording: string
  origin: string | null
  ip: string | null
  confirmIp: string | null
  createdAt: string
  confirmedAt: string | null
  /** Of one that nobody has confirmed; of a confirmed one the contact has them. */ values: {
    email: string
    firstName: string | null
    lastName: string | null
    phone: string | null
    customFields: Record<string, unknown>
  } | null
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
  /** Browsers the person was recognised in. */ visitors: Array<{
    visitorId: string
    proof: 'none' | 'claimed' | 'link' | 'confirmed' | 'signed'
    firstSeenOn: string
    lastSeenOn: string
  }>
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
  /** Ways of the person through automations, newest first, at most 1,000. */ automationRuns: Array<PersonAutomationRun>
  /** Forms that the person signed up by, or that were filled in with the address, newest first, at most 1,000. */ formSubmissions: Array<PersonSubmission>
  /** There are more events: `?cursor=` gives the document with the next ones. */ nextCursor?: string
}

export type TimelineEvent = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */ type: string
  /** The name under which it is delivered. */ action: string
  /** As recorded. */ subjectId: string | null
  /** As recorded. */ email: string | null
  /** As recorded. */ phone: string | null
  /** The browser it is of. */ visitorId: string | null
  /** Where it came in; null: by the API, or from the system. */ source: 'collect' | 'form' | null
  /** How well it is proven who it was; null where a server has said it. */ proof: 'none' | 'claimed' | 'link' | 'confirmed' | 'signed' | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
}

export type ContactsOperations = {
  'DELETE /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /contacts': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Ascending by id when absent; `-id`: newest first. By email those without one come last. */ sort?: 'id' | '-id' | 'updatedAt' | '-updatedAt' | 'email' | '-email'
  /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
  /** Has `search` look in first and last names alone, and not where those hold an address. */ searchIn?: 'names'
  /** Only the contact with this address. */ email?: string
  /** Only the contact with this subjectId. */ subjectId?: string
  /** Only the contact with this phone number. */ phone?: string
  /** Only contacts that have the tag of this name. */ tag?: string
  /** Only contacts that are in this segment now. */ segmentId?: string
  /** Only contacts created or changed at or after this time. */ updatedSince?: string
  /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */ customField?: string
}
    body: undefined
    answer: ContactPage
  }
  'GET /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: Contact
  }
  'GET /contacts/{contactId}/automations': {
    params: { contactId: string }
    query: {
  limit?: number
  cursor?: string
}
    body: undefined
    answer: ContactAutomationRunPage
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
  'GET /contacts/{contactId}/visitors': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: ContactVisitorList
  }
  'PATCH /contacts/{contactId}': {
    params: { contactId: string }
    query: undefined
    body: ContactChange
    answer: Contact
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
  'PUT /contacts': {
    params: undefined
    query: {
  /** overwrite when absent. */ mode?: 'fill' | 'overwrite'
}
    body: ContactBody
    answer: Contact
  }
}
