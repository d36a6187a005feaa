// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { AutomationRunTrace, AutomationSteeredRuns } from './shared.ts'

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

export type AutomationAssumed = {
  decisions: number
  people: number
  on: Array<AutomationAssumption>
}

export type AutomationAssumption = {
  what: string
  count: number
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

export type AutomationCompared = {
  more: AutomationComparedPeople
  less: AutomationComparedPeople
  other: AutomationComparedPeople
  same: AutomationComparedPeople
} | null

export type AutomationComparedPeople = {
  people: number
  examples: Array<AutomationComparedPerson>
}

export type AutomationComparedPerson = {
  contactId: string
  draft: number
  live: number
}

export type AutomationCounts = {
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

export type AutomationInsideFates = {
  /** People in older versions; the sum of the others. */ inside: number
  /** Keep their place, in the new version. */ keep: number
  /** Come to another node, as `map` says. */ move: number
  leave: number
  /** Stay in the version they are in. */ stay: number
  /** Stand at a node that is no more. Publishing is refused until `map` says where they go on. */ homeless: number
}

export type AutomationListItem = {
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

export type AutomationNextDay = {
  /** Timers that end within 24 hours as it stands. */ timersBefore: number
  /** The same once it is published. */ timersAfter: number
  /** People whose next step within 24 hours is a mail, as it stands. */ mailsBefore: number
  /** The same once it is published. */ mailsAfter: number
  /** Reckoned from the first 2,000 people of a node. */ isEstimate: boolean
}

export type AutomationNodeCounts = {
  /** The id of the node. */ node: string
  version: number
  entered: number
  /** entered = here + left + ended, at every moment. */ here: number
  left: number
  ended: number
  /** Of those here: how many have failed and wait for somebody. */ parked: number
  /** Too many have failed here: whoever comes is parked untried. */ isHalted: boolean
  /** By which way they left, or how they ended here: `exit:<reason>`. */ ways: Array<AutomationWayCount>
}

export type AutomationNodeDiff = {
  node: string
  change: 'added' | 'removed' | 'changed' | 'same'
  /** Those that differ. */ fields: Array<string>
  /** Who stands there, in an older version. */ people: number
  /** What becomes of them; null for nobody. */ fate: 'keeps' | 'moves' | 'leaves' | 'stays' | 'homeless' | null
  /** Where they go on, of the new version. */ to: string | null
  nextDay: AutomationNextDay
}

export type AutomationOverlap = {
  kind: 'broadcast' | 'automation'
  id: string
  name: string | null
  people: number
  mails: number
  /** Mails within 24 hours of one of the draft’s to the same person. */ withinDay: number
}

export type AutomationParkedBody = {
  /** Only those at this node. */ node?: string
}

export type AutomationPublishBody = {
  /** Of those in older versions. `stay` (default): they go on there. `move`: they come to the node of the same id, with its new time, or to the one that `map` names. `exit`: they leave. */ inside?: 'stay' | 'move' | 'exit'
  /** Where those at a node go on. A node at which somebody stands and that is no more must be here. */ map?: Record<string, unknown>
  /** Only those who stand at these nodes; all by default. */ nodes?: Array<string>
}

export type AutomationPublishFault = {
  pointer: string
  detail: string
}

export type AutomationPublishPreview = {
  /** Whether there would be a new version; else only those in older ones are concerned. */ publishes: boolean
  /** Parts beside the nodes that differ. */ parts: Array<string>
  people: AutomationInsideFates
  nextDay: AutomationNextDay
  nodes: Array<AutomationNodeDiff>
  /** For which publishing would be refused. */ faults: Array<AutomationPublishFault>
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

export type AutomationSimulate = {
  /** How long the window is; 30 when absent. */ days?: number
  /** When the window ends: now when absent, and never later. */ until?: string
  /** So much of all people, for ever the same; 100 when absent. */ samplePercent?: number
}

export type AutomationSimulated = {
  /** Who came in at least once. */ people: number
  /** Entries of all of them. */ entered: number
  refused: Array<AutomationSimulatedRefusals>
  /** Runs by how they ended. */ ended: Array<AutomationSimulatedEnds>
  /** Runs that had no end yet when the window ended. */ inside: number
  goals: number
  goalValue: number
  /** The entry is the node of an empty name. */ nodes: Array<AutomationSimulatedNode>
  mails: AutomationSimulatedMails
  /** Decisions that rest on something whose value then is not known: its value now was taken. */ assumed: AutomationAssumed
}

export type AutomationSimulatedDay = {
  day: string
  count: number
}

export type AutomationSimulatedEnds = {
  end: string
  count: number
}

export type AutomationSimulatedLive = {
  /** Who came in at least once. */ people: number
  /** Entries of all of them. */ entered: number
  refused: Array<AutomationSimulatedRefusals>
  /** Runs by how they ended. */ ended: Array<AutomationSimulatedEnds>
  /** Runs that had no end yet when the window ended. */ inside: number
  goals: number
  goalValue: number
  /** The entry is the node of an empty name. */ nodes: Array<AutomationSimulatedNode>
  mails: AutomationSimulatedMails
  /** Decisions that rest on something whose value then is not known: its value now was taken. */ assumed: AutomationAssumed
} | null

export type AutomationSimulatedMails = {
  total: number
  /** Who got at least one. */ people: number
  days: Array<AutomationSimulatedDay>
  perPerson: AutomationSpread
}

export type AutomationSimulatedNode = {
  /** The id of the node. */ node: string
  entered: number
  mails: number
  /** By which way they left, or how they ended here. */ ways: Array<AutomationSimulatedWay>
  /** Mails that would not have gone out, by reason. */ skipped: Array<AutomationSimulatedSkips>
}

export type AutomationSimulatedRefusals = {
  reason: string
  count: number
}

export type AutomationSimulatedSkips = {
  reason: string
  count: number
}

export type AutomationSimulatedStep = {
  /** The id of the node. */ node: string
  way: string
  /** The id of the node. */ next: string | null
  leftAt: string
}

export type AutomationSimulatedTrace = {
  /** How many went this way. */ runs: number
  contactId: string
  entryKey: string
  enteredAt: string
  end: string | null
  steps: Array<AutomationSimulatedStep>
}

export type AutomationSimulatedWay = {
  way: string
  count: number
}

export type AutomationSimulation = {
  id: string
  automationId: string
  state: 'running' | 'done' | 'canceled' | 'failed'
  from: string
  until: string
  samplePercent: number
  /** The version that the draft is compared with. */ liveVersion: number | null
  people: AutomationSimulationPeople
  /** Events that were replayed. */ events: number
  failure: string | null
  createdAt: string
  endedAt: string | null
  /** Null until it is done. */ report: AutomationSimulationReport
}

export type AutomationSimulationList = {
  items: Array<AutomationSimulationSummary>
}

export type AutomationSimulationPeople = {
  total: number
  done: number
}

export type AutomationSimulationReport = {
  /** It ended at a limit of time or events before everybody was looked at, or not all events of somebody were. */ isPartial: boolean
  /** People who have done more than is replayed of one person: part of it is left out. */ peopleCut: number
  /** Triggers of the draft that no event stands for, so nobody comes in by them here. */ notReplayed: Array<'date' | 'schedule' | 'manual'>
  draft: AutomationSimulated
  live: AutomationSimulatedLive
  compared: AutomationCompared
  /** What else reached those whom the draft mails, the most first. */ others: Array<AutomationOverlap>
  perWeek: AutomationSpread
  /** The ten ways that most have gone, with the first person on each. */ traces: Array<AutomationSimulatedTrace>
} | null

export type AutomationSimulationSummary = {
  id: string
  automationId: string
  state: 'running' | 'done' | 'canceled' | 'failed'
  from: string
  until: string
  samplePercent: number
  /** The version that the draft is compared with. */ liveVersion: number | null
  people: AutomationSimulationPeople
  /** Events that were replayed. */ events: number
  failure: string | null
  createdAt: string
  endedAt: string | null
}

export type AutomationSpread = {
  p50: number
  p95: number
  max: number
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
  'GET /automations/{id}/simulations': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: AutomationSimulationList
  }
  'GET /automations/{id}/simulations/{simulationId}': {
    params: { id: string; simulationId: string }
    query: undefined
    body: undefined
    answer: AutomationSimulation
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
    query: undefined
    body: AutomationPublishBody
    answer: AutomationPublished
  }
  'POST /automations/{id}/publish-preview': {
    params: { id: string }
    query: undefined
    body: AutomationPublishBody
    answer: AutomationPublishPreview
  }
  'POST /automations/{id}/resume': {
    params: { id: string }
    query: undefined
    body: AutomationResumeBody
    answer: Automation
  }
  'POST /automations/{id}/simulate': {
    params: { id: string }
    query: undefined
    body: AutomationSimulate
    answer: AutomationSimulation
  }
  'POST /automations/{id}/simulations/{simulationId}/cancel': {
    params: { id: string; simulationId: string }
    query: undefined
    body: undefined
    answer: AutomationSimulation
  }
  'POST /automations/{id}/stop': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Automation
  }
}
