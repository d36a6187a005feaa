// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open } from '../call.ts'

export type AutomationCalledData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  automationId: string
  name: string
  version: number
  runId: string
  /** What tells entries of one contact apart; `""` without. */
  entryKey: string
  enteredAt: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause: {
    automationId: string
    runId: string
    depth: number
  }
  endpointId: string
  node: string
  /** Counted from 1: with `runId` it is one of its kind. */
  visit: number
  /** Those of the step. */
  properties: Record<string, unknown>
  /** Properties of what brought the contact in; null without an event. */
  trigger: Record<string, unknown> | null
}

export type AutomationCalledDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'automation.called'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: AutomationCalledData
}

export type AutomationCompletedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  automationId: string
  name: string
  version: number
  runId: string
  /** What tells entries of one contact apart; `""` without. */
  entryKey: string
  enteredAt: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause: {
    automationId: string
    runId: string
    depth: number
  }
  /** By the run’s own clock. */
  endedAt: string
  /** Where it ended. */
  node: string
}

export type AutomationCompletedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'automation.completed'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: AutomationCompletedData
}

export type AutomationEnteredData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  automationId: string
  name: string
  version: number
  runId: string
  /** What tells entries of one contact apart; `""` without. */
  entryKey: string
  enteredAt: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause: {
    automationId: string
    runId: string
    depth: number
  }
}

export type AutomationEnteredDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'automation.entered'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: AutomationEnteredData
}

export type AutomationExitedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  automationId: string
  name: string
  version: number
  runId: string
  /** What tells entries of one contact apart; `""` without. */
  entryKey: string
  enteredAt: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause: {
    automationId: string
    runId: string
    depth: number
  }
  /** By the run’s own clock. */
  endedAt: string
  /** Where it ended. */
  node: string
  /** Why. */
  reason: string
}

export type AutomationExitedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'automation.exited'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: AutomationExitedData
}

export type AutomationGoal_reachedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  automationId: string
  name: string
  version: number
  runId: string
  /** What tells entries of one contact apart; `""` without. */
  entryKey: string
  enteredAt: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause: {
    automationId: string
    runId: string
    depth: number
  }
  goalAt: string
  /** Of the property that the goal sums up. */
  value: number | null
}

export type AutomationGoal_reachedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'automation.goal_reached'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: AutomationGoal_reachedData
}

export type BroadcastFinishedData = {
  workspaceId: string
  broadcastId: string
  name: string
  status: Open<'sent' | 'canceled' | 'failed'>
}

export type BroadcastFinishedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'broadcast.finished'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: BroadcastFinishedData
}

export type BroadcastStartedData = {
  workspaceId: string
  broadcastId: string
  name: string
  status: Open<'sending'>
}

export type BroadcastStartedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'broadcast.started'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: BroadcastStartedData
}

export type ContactCreatedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
}

export type ContactCreatedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.created'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactCreatedData
}

export type ContactErasedData = {
  workspaceId: string
  contactId: string
  identifierKind: Open<'contactId'>
  /** On whose behalf. */
  operatorKind: Open<'user' | 'api_token' | 'operator' | 'system'>
  operatorId: string | null
}

export type ContactErasedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.erased'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactErasedData
}

export type ContactIdentifiedData = {
  workspaceId: string
  contactId: string
  visitorId: string
  proof: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'>
  /** Events that were attached. */
  attached: number
}

export type ContactIdentifiedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.identified'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactIdentifiedData
}

export type ContactMergedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  mergedContactId: string
  changed: Array<Open<'subjectId' | 'email' | 'phone' | 'firstName' | 'lastName' | 'timeZone' | 'customFields'>>
}

export type ContactMergedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.merged'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactMergedData
}

export type ContactTaggedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  tagId: string
  tag: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause?: {
    automationId: string
    runId: string
    depth: number
  }
}

export type ContactTaggedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.tagged'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactTaggedData
}

export type ContactUntaggedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  tagId: string
  tag: string
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause?: {
    automationId: string
    runId: string
    depth: number
  }
}

export type ContactUntaggedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.untagged'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactUntaggedData
}

export type ContactUpdatedData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  changed: Array<Open<'subjectId' | 'email' | 'phone' | 'firstName' | 'lastName' | 'timeZone' | 'customFields'>>
  /** The run of an automation that did it, and how many automations have led to each other up to it. */
  cause?: {
    automationId: string
    runId: string
    depth: number
  }
}

export type ContactUpdatedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'contact.updated'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: ContactUpdatedData
}

export type EmailBouncedData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId?: string
  purpose?: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface?: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  /** Null when it is not known. */
  provider: Open<'smtp' | 'ses'> | null
  sendingDomain: string | null
  /** permanent: the address does not exist any more. */
  bounceKind: Open<'permanent' | 'transient'>
  /** The cause the receiver gave. */
  reason: string
  /** The words of the report. */
  detail: string | null
}

export type EmailBouncedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.bounced'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailBouncedData
}

export type EmailClickedData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId: string
  purpose: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  url: string
  /** Position of the link in the template, from 0. */
  link: number
  /** Whether a scanner or a proxy did it, as far as we see. */
  machine: boolean
}

export type EmailClickedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.clicked'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailClickedData
}

export type EmailComplainedData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId?: string
  purpose?: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface?: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  /** Null when it is not known. */
  provider: Open<'smtp' | 'ses'> | null
  sendingDomain: string | null
  /** The words of the report. */
  detail: string | null
}

export type EmailComplainedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.complained'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailComplainedData
}

export type EmailOpenedData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId: string
  purpose: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  /** Whether a scanner or a proxy did it, as far as we see. */
  machine: boolean
}

export type EmailOpenedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.opened'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailOpenedData
}

export type EmailSentData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId: string
  purpose: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  /** Null when it is not known. */
  provider: Open<'smtp' | 'ses'> | null
  sendingDomain: string | null
  /** The name of the message at the provider. */
  providerMessageId: string | null
}

export type EmailSentDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.sent'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailSentData
}

export type EmailUnsubscribedData = {
  workspaceId: string
  contactId?: string
  email: string
  messageId?: string
  purpose?: Open<'marketing' | 'service' | 'transactional' | 'system'>
  surface?: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  broadcastId?: string
  automationId?: string
  /** As it was given with the message (`POST /emails`); absent without any. */
  metadata?: Record<string, unknown>
  /** `broadcasts`, `topic:<id>`, `automation:<id>`, `automations` or `everything`. */
  sendingSource: string
  /** With `automations`: the one that it still wants. */
  except?: string
}

export type EmailUnsubscribedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'email.unsubscribed'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EmailUnsubscribedData
}

export type EventRecordedData = {
  workspaceId: string
  contactId?: string
  subjectId?: string
  action: string
  email?: string
  phone?: string
  /** The browser it is of. */
  visitorId?: string
  /** Where it came in, if not by the API. */
  source?: Open<'collect' | 'form'>
  /** How well it is proven who it was; absent where a server has said it. */
  proof?: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'>
  properties: Record<string, unknown>
  occurredAt: string
}

export type EventRecordedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  /** The `action` that it was recorded under. */
  type: string
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId?: string
  data: EventRecordedData
}

export type FormConfirmedData = {
  workspaceId: string
  contactId: string
  email: string
  formId: string
  /** Its name, as it was then. */
  form: string
  /** Of the form, as it was filled in. */
  version: number
  submissionId: string
}

export type FormConfirmedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'form.confirmed'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: FormConfirmedData
}

export type MarketingConfirmedData = {
  workspaceId: string
  contactId: string
  email: string
  provenance: Open<'double_opt_in'>
  /** Where the person was. */
  ip?: string
}

export type MarketingConfirmedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'marketing.confirmed'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: MarketingConfirmedData
}

export type SegmentCreatedData = {
  workspaceId: string
  segmentId: string
  name: string
}

export type SegmentCreatedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'segment.created'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: SegmentCreatedData
}

export type SegmentDeletedData = {
  workspaceId: string
  segmentId: string
  name: string
}

export type SegmentDeletedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'segment.deleted'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: SegmentDeletedData
}

export type SegmentEnteredData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  segmentId: string
  name: string
}

export type SegmentEnteredDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'segment.entered'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: SegmentEnteredData
}

export type SegmentLeftData = {
  workspaceId: string
  contactId: string
  subjectId: string | null
  /** `""` when there is none. */
  email: string
  phone: string | null
  segmentId: string
  name: string
}

export type SegmentLeftDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'segment.left'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  contactId: string
  data: SegmentLeftData
}

export type SegmentUpdatedData = {
  workspaceId: string
  segmentId: string
  name: string
  changed: Array<Open<'name' | 'definition'>>
}

export type SegmentUpdatedDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'segment.updated'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: SegmentUpdatedData
}

export type WebhookTestData = Record<string, unknown>

export type WebhookTestDelivery = {
  /** Of the event, the same at all endpoints. */
  id: string
  type: 'webhook.test'
  occurredAt: string
  workspaceId: string
  /** The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty. */
  subject: string
  data: WebhookTestData
}

/** Events that the system delivers under names of its own, by these. */
export interface SystemEvents {
  'contact.created': ContactCreatedDelivery
  'contact.updated': ContactUpdatedDelivery
  'contact.erased': ContactErasedDelivery
  'contact.merged': ContactMergedDelivery
  'contact.identified': ContactIdentifiedDelivery
  'contact.tagged': ContactTaggedDelivery
  'contact.untagged': ContactUntaggedDelivery
  'segment.created': SegmentCreatedDelivery
  'segment.updated': SegmentUpdatedDelivery
  'segment.deleted': SegmentDeletedDelivery
  'segment.entered': SegmentEnteredDelivery
  'segment.left': SegmentLeftDelivery
  'broadcast.started': BroadcastStartedDelivery
  'broadcast.finished': BroadcastFinishedDelivery
  'email.sent': EmailSentDelivery
  'email.opened': EmailOpenedDelivery
  'email.clicked': EmailClickedDelivery
  'email.unsubscribed': EmailUnsubscribedDelivery
  'email.bounced': EmailBouncedDelivery
  'email.complained': EmailComplainedDelivery
  'marketing.confirmed': MarketingConfirmedDelivery
  'automation.entered': AutomationEnteredDelivery
  'automation.completed': AutomationCompletedDelivery
  'automation.exited': AutomationExitedDelivery
  'automation.goal_reached': AutomationGoal_reachedDelivery
  'form.confirmed': FormConfirmedDelivery
  'automation.called': AutomationCalledDelivery
  'webhook.test': WebhookTestDelivery
}
