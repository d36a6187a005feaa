// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Automation, AutomationPublishBody, AutomationRunTrace, AutomationSteeredRuns, AutomationStepWritten } from './shared.ts'

export type AutomationBody = {
  /** Your name for it; recipients do not see it. Trimmed. */ name: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */ definition?: Record<string, unknown>
  /** The name of the event that brings people in. */ triggerEvent?: string
  steps?: Array<AutomationStep>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */ scenarios?: Array<Record<string, unknown>>
}

export type AutomationChange = {
  /** Your name for it; recipients do not see it. Trimmed. */ name?: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */ definition?: Record<string, unknown>
  /** The name of the event that brings people in. */ triggerEvent?: string
  steps?: Array<AutomationStep>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */ scenarios?: Array<Record<string, unknown>>
}

export type AutomationCounts = {
  /** With `last`: from when on `entered`, `heldOut`, `refused`, `left`, `ended` and `ways` are counted, the beginning of an hour or, of days, of a day in UTC. Null: from the first day on. */ since: string | null
  /** How often anybody has come in, those held out included. */ entered: number
  heldOut: number
  /** People who are in it now. */ inside: number
  /** How often somebody wanted to come in and did not, by reason. */ refused: Array<AutomationRefusals>
  /** Why people do not come in, or on, as they should: somebody has to mend it. */ troubles: Array<string>
  nodes: Array<AutomationNodeCounts>
}

export type AutomationEnrollBody = {
  contactIds?: Array<string>
  /** Instead: everybody who is in it now. */ segmentId?: string
  /** Tells entries of one contact apart, as a cart does. */ key?: string
  /** How many begin in a minute. Without: all at once. */ perMinute?: number
}

export type AutomationEnrollVerdict = {
  contactId: string
  /** `waiting`: nobody has decided of them within a second, as where they come one after the other. `explain` tells later. */ verdict: 'entered' | 'refused' | 'waiting'
  /** Why they are refused. */ reason: string | null
}

export type AutomationEnrolled = {
  /** How many contacts were put into the queue of those who come in. */ accepted: number
  /** One for each contact, in their order. Null for a segment, whose people come in by a job. */ verdicts: Array<AutomationEnrollVerdict> | null
}

export type AutomationEntry = {
  entryKey: string
  /** How often it has come in by this key. */ entries: number
  enteredAt: string | null
  /** How often it wanted to, and did not. */ refusals: number
  refusedAt: string | null
  /** Why not, the last time. */ refusal: string | null
  refusedEventId: string | null
  /** The name of that event. */ refusedEvent: string | null
  /** What the filter or the rule of the entry asks for: properties of that event, and fields and tags as they are now. */ values: Record<string, unknown>
}

export type AutomationExplanation = {
  contactId: string
  isInside: boolean
  /** An event that may bring it in waits for its turn. */ waits: boolean
  /** What happened, why, and what comes next and when, in sentences. */ story: Array<string>
  entries: Array<AutomationEntry>
  /** Mails that wait, or were not sent in the end. The trace names all by their `messageId`. */ mails: Array<AutomationMailFate>
  /** As `counts` has them. */ troubles: Array<string>
  /** The last ten, newest first. */ runs: Array<AutomationRunTrace>
}

export type AutomationListItem = {
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
  /** How often anybody has come in, those held out included. */ entered: number
  /** People who are in it now. */ inside: number
  /** Of those inside: how many have failed and wait for somebody. */ parked: number
}

export type AutomationListItemPage = {
  items: Array<AutomationListItem>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AutomationMailFate = {
  messageId: string
  told: string
}

export type AutomationNodeCounts = {
  /** The id of the node. */ node: string
  version: number
  entered: number
  /** Now, whatever `last` says. Without it entered = here + left + ended, at every moment. */ here: number
  /** Of those who entered: how many a publishing took along out of an older version, and no step led here. */ movedIn: number
  left: number
  /** Of those who left: how many a publishing took along into a newer version, so that they did not go on. */ movedOut: number
  ended: number
  /** Of those here: how many have failed and wait for somebody. */ parked: number
  /** What became of the mail of the node; with `last` what did in that time. Null: it has sent none. */ mails: AutomationNodeMails
  /** Too many have failed here: whoever comes is parked untried. */ isHalted: boolean
  /** By which way they left, or how they ended here: `exit:<reason>`. */ ways: Array<AutomationWayCount>
}

export type AutomationNodeMails = {
  /** Mails that the mail server or provider took. */ accepted: number
  /** Of people, each mail once, however often it was opened. */ opened: number
  /** Of people, each mail once. */ clicked: number
  unsubscribed: number
  bounced: number
  complained: number
} | null

export type AutomationParkedBody = {
  /** Only those at this node. */ node?: string
}

export type AutomationPublished = {
  /** The version in force. */ version: number
  inside: 'stay' | 'move' | 'exit'
  /** How many of those inside come along, or leave, in chunks. */ people: number
}

export type AutomationRefusals = {
  reason: string
  count: number
}

export type AutomationResumeBody = {
  /** `shift` (default): every timer is put off by as long as it was paused. `now`: whatever became due meanwhile is done at once. `drop`: so as well, without mail that is overdue by more than `dropAfter`. */ late?: 'shift' | 'now' | 'drop'
  /** Of `drop`: ISO 8601, without months; a day has 24 hours. */ dropAfter?: string
}

export type AutomationStep = {
  type: 'email' | 'wait' | 'apply_tag' | 'remove_tag'
  /** Of an email, with Liquid. */ subject?: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */ body?: string | null
  /** Of a wait. */ seconds?: number | null
  /** The name of a tag to apply or to remove. */ tag?: string | null
}

export type AutomationTest = {
  /** Null: the sample person. */ contactId: string | null
  /** Where the mails go. */ destination: string
  /** Why they do not come in. Null: they do. */ refused: string | null
  /** How it ends. Null: it does not, within 400 days. */ end: string | null
  /** The first twenty. */ mails: Array<AutomationTestMail>
  /** The way that they go; its first step is the entry, of an empty name. */ steps: Array<AutomationTestStep>
  /** Mails that they would not be sent, and why. */ skipped: Array<AutomationTestSkip>
  /** What a run would do besides, and a test does not. */ notDone: Array<AutomationTestEffect>
}

export type AutomationTestBody = {
  /** Whose way it is; needs `contacts:read`. Without: a sample person. */ contactId?: string
  /** Where the mails go: to a member of the workspace, or with `emails:send` to anybody. Without: to you, or, of a token, to the first owner. */ email?: string
  /** What happens to them, and when, as scenarios have it (docs/guides/automations.md#scenarios). Without: the first trigger. */ given?: Array<Record<string, unknown>>
}

export type AutomationTestEffect = {
  /** The id of the node. */ node: string
  kind: string
}

export type AutomationTestMail = {
  /** The id of the node. */ node: string
  messageId: string
  subject: string
  /** When it would be sent. */ at: string
  /** When the test sends it: each wait is three seconds. */ sentFrom: string
}

export type AutomationTestSkip = {
  /** The id of the node. */ node: string
  reason: string
}

export type AutomationTestStep = {
  /** The id of the node. */ node: string
  way: string
  /** The id of the node. */ next: string | null
  at: string
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

export type AutomationsOperations = {
  'DELETE /automations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
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
    answer: AutomationListItemPage
  }
  'GET /automations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'GET /automations/{id}/counts': {
    params: { id: string }
    query: {
  /** Those alone who came, went on or ended in this time; who is here is as of now. */ last?: '24h' | '7d' | '30d'
}
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
  'PATCH /automations/{id}': {
    params: { id: string }
    query: undefined
    body: AutomationChange
    answer: Automation
  }
  'POST /automations': {
    params: undefined
    query: undefined
    body: AutomationBody
    answer: Automation
  }
  'POST /automations/{id}/activate': {
    params: { id: string }
    query: {
  /** Publishes although scenarios fail: for people who run the workspace, and noted in the audit log. */ despiteScenarios?: boolean
}
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
  'POST /automations/{id}/parked/skip': {
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
  'POST /automations/{id}/publish': {
    params: { id: string }
    query: {
  /** Publishes although scenarios fail: for people who run the workspace, and noted in the audit log. */ despiteScenarios?: boolean
}
    body: AutomationPublishBody
    answer: AutomationPublished
  }
  'POST /automations/{id}/resume': {
    params: { id: string }
    query: undefined
    body: AutomationResumeBody
    answer: Automation
  }
  'POST /automations/{id}/stop': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
  'POST /automations/{id}/test': {
    params: { id: string }
    query: undefined
    body: AutomationTestBody
    answer: AutomationTest
  }
}
