// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Automation = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** `active`: people may come in. `closed`: nobody comes in, those inside go on. `paused`: nobody goes on. `stopped`: for good. */ status: 'draft' | 'active' | 'closed' | 'paused' | 'stopped'
  /** The event that brings people in, where it is a single one without a filter. */ triggerEvent: string | null
  /** Null: its definition is not the linear form. */ steps: Array<AutomationStepWritten> | null
  /** What is edited. It is in force once it is published. */ definition: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */ scenarios: Array<Record<string, unknown>>
  /** The version in force. Null: none yet. */ publishedVersion: number | null
  /** Whether the definition differs from the version in force. */ draftChanged: boolean
  /** Since when nobody goes on. Null: it is not paused. */ pausedAt: string | null
  /** Who has paused it. */ pausedBy: string | null
  createdAt: string
  updatedAt: string
}

export type AutomationPublishBody = {
  /** Of those in older versions. `stay` (default): they go on there. `move`: they come to the node of the same id, with its new time, or to the one that `map` names. `exit`: they leave. */ inside?: 'stay' | 'move' | 'exit'
  /** Where those at a node go on. A node at which somebody stands and that is no more must be here. */ map?: Record<string, unknown>
  /** Only those who stand at these nodes; all by default. */ nodes?: Array<string>
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
  /** The name of that event; null as well once it is kept no more. */ event: string | null
  /** What decided: of a branch which rules held (`holds`) and the `values` they asked for by then, of a split the `share`, of a mail its `messageId`. */ seen: Record<string, unknown> | null
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
  /** Variables as they are, or were when it ended. */ variables: Record<string, unknown>
  steps: Array<AutomationRunStep>
}

export type AutomationSteeredRuns = {
  runs: number
}

export type AutomationStepWritten = {
  type: 'email' | 'wait' | 'apply_tag' | 'remove_tag'
  /** Of an email, with Liquid. */ subject: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */ body: string | null
  /** Of a wait. */ seconds: number | null
  /** The name of a tag to apply or to remove. */ tag: string | null
}

export type ConsentEntry = {
  id: string
  at: string
  /** requested: a mail asked for a confirmation. confirmed: the person said yes by its link, or on the preference page. imported: told by the workspace, by an import or for one contact. grandfathered: was a contact when double opt-in was switched on. unsubscribed, resubscribed: wants something no more, or again. tracking_granted, tracking_denied: said on a page that asks before it records; it is about no mail. */ change: 'requested' | 'confirmed' | 'imported' | 'grandfathered' | 'unsubscribed' | 'resubscribed' | 'tracking_granted' | 'tracking_denied'
  /** The topic it is about; null is all marketing mail. */ sendingSource: string | null
  /** person: by a link of a mail to their address. workspace: at your word. system: by itself. */ byWhom: 'person' | 'workspace' | 'system'
  /** Where the person was. */ ip: string | null
  /** The message whose link was used, or that asked. */ messageId: string | null
  /** The import that told of it, which may have been deleted since. */ importId: string | null
  /** The form by which they confirmed, which may have been deleted since. */ formId: string | null
  /** Its name by now; null when it was deleted. */ formName: string | null
  /** The words with which they were asked. */ wording: string | null
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
  /** Names of its tags, by name; the first 200 of more, which `/tags` has all. */ tags: Array<string>
  /** The consent to marketing mail; null when none is known. */ consent: {
    /** How it is known; double_opt_in: we have seen it confirmed. */ provenance: 'double_opt_in' | 'grandfathered' | 'imported'
    optedInAt: string | null
    confirmedAt: string | null
  } | null
  /** Topics that a word was said about; of the others `subscription` decides. */ topics: Array<{
    topicId: string
    name: string
    state: 'subscribed' | 'unsubscribed'
  }>
  /** Sending sources that the address wants no more of. */ unsubscribedFrom: Array<string>
  /** Whether its address was stated by a page alone: it is not mailed until it is proven. */ isUnproven: boolean
  /** Why the address is mailed nothing at all; null when it is mailed. */ suppression: {
    reason: 'bounce' | 'complaint' | 'manual'
    createdAt: string
  } | null
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

export type EmailList = {
  items: Array<Email>
  /** Absent on the last page. */ nextCursor?: string
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

export type Mailbox = {
  address: string
  name: string | null
}

export type Membership = {
  id: string
  slug: string
  name: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type Session = {
  user: {
    id: string
    email: string
    name: string
  }
  workspaces: Array<Membership>
}
