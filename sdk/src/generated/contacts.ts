// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { AutomationRunStep, Contact } from './shared.ts'

export type ConfirmationRequest = {
  id: string
  contactId: string
  destination: string
  /** The mail that asks. */
  messageId: string
  /** suppressed: the address is mailed nothing. skipped: nothing is sent to it for another reason. */
  status: Open<'queued' | 'suppressed' | 'skipped'>
  requestedAt: string
  /** Until when the link of the mail works. */
  expiresAt: string
  confirmedAt: string | null
}

export type ConsentEntry = {
  id: string
  at: string
  /** requested: a mail asked for a confirmation. confirmed: the person said yes by its link, or on the preference page. imported: told by the workspace, by an import or for one contact. grandfathered: was a contact when double opt-in was switched on. unsubscribed, resubscribed: wants something no more, or again. tracking_granted, tracking_denied: said on a page that asks before it records; it is about no mail. */
  change: Open<'requested' | 'confirmed' | 'imported' | 'grandfathered' | 'unsubscribed' | 'resubscribed' | 'tracking_granted' | 'tracking_denied'>
  /** The topic it is about; null is all marketing mail. */
  sendingSource: string | null
  /** person: by a link of a mail to their address. workspace: at your word. system: by itself. */
  byWhom: Open<'person' | 'workspace' | 'system'>
  /** Where the person was. */
  ip: string | null
  /** The message whose link was used, or that asked. */
  messageId: string | null
  /** The import that told of it, which may have been deleted since. */
  importId: string | null
  /** The form by which they confirmed, which may have been deleted since. */
  formId: string | null
  /** Its name by now; null when it was deleted. */
  formName: string | null
  /** The words with which they were asked. */
  wording: string | null
}

export type ConsentEntryPage = {
  items: Array<ConsentEntry>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactBatchBody = {
  contacts: Array<ContactBody>
  /** fill, when absent: of a contact that is there, core fields that are blank get a value. overwrite: those that an item states are replaced, and null clears one. Custom fields are merged by key in both. */
  mode?: 'fill' | 'overwrite'
}

export type ContactBatchResults = {
  /** One for each item, in their order. */
  results: Array<{
    /** Position in the request, from 0. */
    index: number
    /** updated: the contact was there; `changed` tells whether the item changed it. failed: nothing was done. */
    status: Open<'created' | 'updated' | 'failed'>
    contactId?: string
    /** Of an updated one: whether a field has another value now. Tags are given all the same. */
    changed?: boolean
    /** The fault of a failed item, beginning with the field concerned. */
    error?: string
  }>
}

export type ContactBody = {
  /** Your own id of the person; unique in the workspace. */
  subjectId?: string | null
  /** Unique in the workspace; stored in lower case. */
  email?: string | null
  /** Unique in the workspace. */
  phone?: string | null
  /** Given name. */
  firstName?: string | null
  /** Family name. */
  lastName?: string | null
  /** IANA time zone. */
  timeZone?: string | null
  customFields?: Record<string, unknown> | null
  /** Names of tags it gets; none is taken off. One that nobody has is made. */
  tags?: Array<string>
}

export type ContactChange = {
  /** Your own id of the person; unique in the workspace. */
  subjectId?: string | null
  /** Unique in the workspace; stored in lower case. */
  email?: string | null
  /** Unique in the workspace. */
  phone?: string | null
  /** Given name. */
  firstName?: string | null
  /** Family name. */
  lastName?: string | null
  /** IANA time zone. */
  timeZone?: string | null
  customFields?: Record<string, unknown> | null
}

export type ContactMerge = {
  contactId: string
  /** The contact it was merged into: this one, or one that became part of this one later. */
  mergedIntoId: string
  mergedAt: string
}

export type ContactMergeBody = {
  /** The contact that is merged into the one of the path, and is no more afterwards. */
  contactId: string
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
  /** Absent on the last page. */
  nextCursor?: string
}

export type ContactVisitor = {
  visitorId: string
  /** claimed: a page has said so. link: a link of a mail of ours was followed in it. confirmed: the person has by mail. signed: your server has. */
  proof: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'>
  firstSeen: string
  /** The day on which it was last said. */
  lastSeen: string
}

export type ContactVisitorList = {
  items: Array<ContactVisitor>
}

export type MessageHit = {
  at: string
  kind: Open<'open' | 'click'>
  /** Of clicks: its place among the links of the template. */
  link: number | null
  url: string | null
  /** Where it came from. */
  ip: string | null
  userAgent: string | null
  /** The author it was judged to have, ten seconds later. */
  verdict: Open<'human' | 'machine'> | null
}

export type PersonAutomationRun = {
  id: string
  automationId: string
  automationName: string
  version: number
  state: Open<'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'>
  /** Why it has exited. */
  reason: string | null
  /** The value that tells entries of one contact apart. */
  entryKey: string
  /** The moment of the event that brought it in. */
  enteredAt: string
  endedAt: string | null
  /** When it reached the goal. */
  goalAt: string | null
  /** Variables as they are, or were when it ended. */
  variables: Record<string, unknown>
  /** Its trace; of all runs at most 10,000 steps, the newest runs first. */
  steps: Array<AutomationRunStep>
}

export type PersonSubmission = {
  id: string
  formId: string
  /** The name of the form. */
  form: string
  version: number
  state: Open<'pending' | 'confirmed' | 'expired' | 'refused'>
  reason: Open<'blocked' | 'address_budget' | 'suppressed' | 'unsubscribed'> | null
  /** What stood above the button. */
  consentWording: string
  origin: string | null
  ip: string | null
  confirmIp: string | null
  createdAt: string
  confirmedAt: string | null
  /** Of one that nobody has confirmed; of a confirmed one the contact has them. */
  values: {
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
  /** Kinds of mail that the person has said yes to. */
  topics: Array<{
    topicId: string
    name: string
    byWhom: Open<'person' | 'workspace'>
    subscribedAt: string
  }>
  /** Browsers the person was recognised in. */
  visitors: Array<{
    visitorId: string
    proof: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'>
    firstSeenOn: string
    lastSeenOn: string
  }>
  /** Sources the address wants no more of. They outlive an erasure. */
  unsubscribes: Array<{
    id: string
    destination: string
    sendingSource: string
    createdAt: string
  }>
  /** Opt-outs, bounces and complaints of the address. They outlive an erasure. */
  suppressions: Array<{
    id: string
    destination: string
    reason: string
    createdAt: string
  }>
  /** Consents, with how they were given. */
  confirmations: Array<{
    /** How it is known. */
    provenance: Open<'double_opt_in' | 'grandfathered' | 'imported'>
    optedInAt: string | null
    optInIp: string | null
    confirmedAt: string | null
    confirmIp: string | null
    createdAt: string
  }>
  /** How consents came, went and came again, newest first, at most 1,000. */
  consentChanges: Array<ConsentEntry>
  /** Newest first, at most 1,000 a document. */
  events: Array<TimelineEvent>
  /** Messages to the person, newest first, at most 5,000. */
  outboundMessages: Array<{
    id: string
    /** broadcast, automation, transactional, confirmation or test. */
    kind: string
    /** marketing, service, transactional or system. */
    purpose: string
    destination: string
    broadcastId: string | null
    automationId: string | null
    templateId: string | null
    /** Of a single message with content of its own. */
    subject: string | null
    /** queued, sent, failed, suppressed, skipped or uncertain. */
    status: string
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
    /** Each time it was opened or clicked, by whomever; 10,000 of all messages, the newest messages first. */
    hits: Array<MessageHit>
  }>
  /** Broadcasts the person was among the recipients of. */
  broadcastRecipients: Array<{
    broadcastId: string
    messageId: string
    status: string
    reason: string | null
    createdAt: string
  }>
  /** Ways of the person through automations, newest first, at most 1,000. */
  automationRuns: Array<PersonAutomationRun>
  /** Forms that the person signed up by, or that were filled in with the address, newest first, at most 1,000. */
  formSubmissions: Array<PersonSubmission>
  /** There are more events: `?cursor=` gives the document with the next ones. */
  nextCursor?: string
}

export type TimelineEvent = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */
  type: string
  /** The name under which it is delivered. */
  action: string
  /** As recorded. */
  subjectId: string | null
  /** As recorded. */
  email: string | null
  /** As recorded. */
  phone: string | null
  /** The browser it is of. */
  visitorId: string | null
  /** Where it came in; null: by the API, or from the system. */
  source: Open<'collect' | 'form'> | null
  /** How well it is proven who it was; null where a server has said it. */
  proof: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'> | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
}

export interface ContactsOperations {
  /** Create a contact. Needs at least one of subjectId, email, phone, each of them unique in the workspace. A custom field that nobody declared is taken as it is; one of a declared type must fit it, or is refused with a 422. Needs the scope `contacts:write`. */
  create(body: ContactBody, options?: PostOptions): Promise<Tagged<Contact>>

  /** Erase a person. Removes the contact at once and everything else that tells of the person within the next minutes: events, webhook deliveries, jobs, files, recorded answers. Opt-outs and anonymous totals stay. Emits `contact.erased`. It cannot be undone. Needs the scope `contacts:erase`. */
  erase(contactId: string, options?: GuardedOptions): Promise<void>

  /** Export a person's data. Everything that is known of the person in one document, as the person may ask for it. It holds up to 1,000 events, `nextCursor` leads to the next ones. Needs the scope `events:read` as well. Recorded in the audit log. Needs the scope `contacts:read`. */
  exportData(contactId: string, query?: {
    /** nextCursor of the document before. */
    cursor?: string
  }, options?: Options): Promise<PersonalData>

  /** Read a contact. With its entity tag, for `If-Match` on a change. Needs the scope `contacts:read`. */
  get(contactId: string, options?: Options): Promise<Tagged<Contact>>

  /** List contacts. `totalItems` is exact, and of the same moment as the page. Several filters narrow each other. A tag or an address that nobody has is an empty list; a segment that is not there is a 422, and so is what cannot be counted in 1.5 s. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Ascending by id when absent; `-id`: newest first. By email those without one come last. */
    sort?: 'id' | '-id' | 'updatedAt' | '-updatedAt' | 'email' | '-email'
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */
    searchIn?: 'names'
    /** Only the contact with this address. */
    email?: string
    /** Only the contact with this subjectId. */
    subjectId?: string
    /** Only the contact with this phone number. */
    phone?: string
    /** Only contacts that have the tag of this name. */
    tag?: string
    /** Only contacts that are in this segment now. */
    segmentId?: string
    /** Only contacts created or changed at or after this time. */
    updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */
    customField?: string
  }, options?: Options): List<ContactPage>

  /** List a contact's consent history. How the contact came to get marketing mail, or not to: asked, confirmed, unsubscribed, and from where. Newest first; entries are never changed. Needs the scope `contacts:read`. */
  listConsents(contactId: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<ConsentEntryPage>

  /** List a contact's events. The timeline of a contact, newest first: recorded events and those of the system (`contact.…`, `email.…`). An event appears a moment after it was recorded. Every page costs the same, however long the timeline. Needs the scope `events:read`. */
  listEvents(contactId: string, query?: {
    /** Only events of this name. */
    action?: string
    /** Only events that occurred at or after it. */
    from?: string
    /** Only events that occurred before it. */
    to?: string
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<ContactTimeline>

  /** List what was merged into a contact. Ascending by id, those included that came with a contact merged later. Needs the scope `contacts:read`. */
  listMerges(contactId: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<ContactMergePage>

  /** List a contact's visitors. Browsers that it was recognised in, 50 at most, and how well that is proven. The latest first. Needs the scope `contacts:read`. */
  listVisitors(contactId: string, options?: Options): Promise<ContactVisitorList>

  /** Merge a contact into this one. This contact keeps what it has and fills its blanks from the other; tags, places in automations and events move over. The other is no more: its id answers 404. Aliases that this contact did not take over are free again. Emits `contact.merged`. Long histories arrive within minutes. Needs the scope `contacts:write`. */
  merge(contactId: string, body: ContactMergeBody, options?: PostOptions & GuardedOptions): Promise<Tagged<Contact>>

  /** Ask a contact to confirm. Sends a mail with a link by which the contact confirms that they want marketing mail, whether or not the workspace has double opt-in on: on its own it asks new contacts only. The link works for 7 days. A contact that has confirmed, or has no address, is a 422; one that was asked less than ten minutes ago a 429. Needs the scope `contacts:write`. */
  requestConfirmation(contactId: string, options?: PostOptions): Promise<ConfirmationRequest>

  /** Change a contact. Absent fields stay, null clears. Custom fields are merged by key; a null value removes its key. Needs the scope `contacts:write`. */
  update(contactId: string, body: ContactChange, options?: GuardedOptions): Promise<Tagged<Contact>>

  /** Create a contact, or change the one that is there. The contact with the subjectId of the body, else with its email, else with its phone is changed, else one is created. Fields that are stated replace what the contact has and null clears one; with `mode=fill` they fill blanks alone. Absent fields stay, custom fields are merged by key. The same again changes nothing. Needs the scope `contacts:write`. */
  upsert(body: ContactBody, query?: {
    /** overwrite when absent. */
    mode?: 'fill' | 'overwrite'
  }, options?: GuardedOptions): Promise<Tagged<Contact>>

  /** Create or complete contacts one by one. For each of up to 1000 items: the contact with its subjectId, else its email, else its phone is completed, else one is created. Of an existing contact only blank core fields are filled, or with `mode` overwrite those that the item states replaced; custom fields are merged by key, the new value wins and null removes its key. Items are done in their order, and a failed one does not hold up the others. Needs the scope `contacts:write`. */
  upsertBatch(body: ContactBatchBody, options?: PostOptions): Promise<ContactBatchResults>
}
