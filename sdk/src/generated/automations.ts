// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { AutomationRunStep } from './shared.ts'

export type Automation = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** `active`: people may come in. `closed`: nobody comes in, those inside go on. `paused`: nobody goes on. `stopped`: for good. */
  status: Open<'draft' | 'active' | 'closed' | 'paused' | 'stopped'>
  /** The event that brings people in, where it is a single one without a filter. */
  triggerEvent: string | null
  /** Null: its definition is not the linear form. */
  steps: Array<AutomationStepWritten> | null
  /** What is edited. It is in force once it is published. */
  definition: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios: Array<Record<string, unknown>>
  /** The version in force. Null: none yet. */
  publishedVersion: number | null
  /** Whether the definition differs from the version in force. */
  draftChanged: boolean
  /** Since when nobody goes on. Null: it is not paused. */
  pausedAt: string | null
  /** Who has paused it. */
  pausedBy: string | null
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

export type AutomationAuthor = {
  kind: Open<'user' | 'api_token' | 'operator' | 'system'>
  id: string | null
  name: string | null
}

export type AutomationBackfill = {
  state: Open<'running' | 'done' | 'revoked'>
  asOf: Open<'now' | 'then'>
  from: string
  until: string
  perMinute: number | null
  /** How many there were when it began. */
  events: number
  /** How many are through, or wait for their turn. */
  placed: number
  /** Of these: how many wait for their turn. */
  waiting: number
  createdAt: string
  endedAt: string | null
}

export type AutomationBackfillBody = {
  /** People whose trigger happened in so many days up to now. */
  days: number
  /** `now`: everybody begins now, by their newest event. `then`: as of their event, so that exits and goals since count, and mail that was due before now is skipped. */
  asOf: 'now' | 'then'
  /** How many events go through the entry in a minute. Without: as fast as they can. */
  perMinute?: number
}

export type AutomationBackfillLast = {
  state: Open<'running' | 'done' | 'revoked'>
  asOf: Open<'now' | 'then'>
  from: string
  until: string
  perMinute: number | null
  /** How many there were when it began. */
  events: number
  /** How many are through, or wait for their turn. */
  placed: number
  /** Of these: how many wait for their turn. */
  waiting: number
  createdAt: string
  endedAt: string | null
}

export type AutomationBackfillPreview = {
  from: string
  until: string
  /** Events of triggers that nobody has come in by. */
  events: number
  /** Whose they are. */
  people: number
  /** Of these people: who has come in before, which the mode of the entry may refuse. */
  enteredBefore: number
}

export type AutomationBody = {
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */
  definition?: Record<string, unknown>
  /** The name of the event that brings people in. */
  triggerEvent?: string
  steps?: Array<AutomationStep>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios?: Array<Record<string, unknown>>
}

export type AutomationChange = {
  /** Your name for it; recipients do not see it. Trimmed. */
  name?: string
  /** The canonical form: a graph of nodes by their ids (docs/guides/automations.md). */
  definition?: Record<string, unknown>
  /** The name of the event that brings people in. */
  triggerEvent?: string
  steps?: Array<AutomationStep>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios?: Array<Record<string, unknown>>
}

export type AutomationCompared = {
  more: AutomationComparedPeople
  less: AutomationComparedPeople
  other: AutomationComparedPeople
  same: AutomationComparedPeople
}

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
  /** With `last`: from when on `entered`, `heldOut`, `refused`, `left`, `ended` and `ways` are counted, the beginning of an hour or, of days, of a day in UTC. Null: from the first day on. */
  since: string | null
  /** How often anybody has come in, those held out included. */
  entered: number
  heldOut: number
  /** People who are in it now. */
  inside: number
  /** How often somebody wanted to come in and did not, by reason. */
  refused: Array<AutomationRefusals>
  /** Why people do not come in, or on, as they should: somebody has to mend it. */
  troubles: Array<string>
  nodes: Array<AutomationNodeCounts>
}

export type AutomationEnrollBody = {
  contactIds?: Array<string>
  /** Instead: everybody who is in it now. */
  segmentId?: string
  /** Tells entries of one contact apart, as a cart does. */
  key?: string
  /** How many begin in a minute. Without: all at once. */
  perMinute?: number
}

export type AutomationEnrollVerdict = {
  contactId: string
  /** `waiting`: nobody has decided of them within a second, as where they come one after the other. `explain` tells later. */
  verdict: Open<'entered' | 'refused' | 'waiting'>
  /** Why they are refused. */
  reason: string | null
}

export type AutomationEnrolled = {
  /** How many contacts were put into the queue of those who come in. */
  accepted: number
  /** One for each contact, in their order. Null for a segment, whose people come in by a job. */
  verdicts: Array<AutomationEnrollVerdict> | null
}

export type AutomationEntry = {
  entryKey: string
  /** How often it has come in by this key. */
  entries: number
  enteredAt: string | null
  /** How often it wanted to, and did not. */
  refusals: number
  refusedAt: string | null
  /** Why not, the last time. */
  refusal: string | null
  refusedEventId: string | null
  /** The name of that event. */
  refusedEvent: string | null
  /** What the filter or the rule of the entry asks for: properties of that event, and fields and tags as they are now. */
  values: Record<string, unknown>
}

export type AutomationExplanation = {
  contactId: string
  isInside: boolean
  /** An event that may bring it in waits for its turn. */
  waits: boolean
  /** What happened, why, and what comes next and when, in sentences. */
  story: Array<string>
  entries: Array<AutomationEntry>
  /** Mails that wait, or were not sent in the end. The trace names all by their `messageId`. */
  mails: Array<AutomationMailFate>
  /** As `counts` has them. */
  troubles: Array<string>
  /** The last ten, newest first. */
  runs: Array<AutomationRunTrace>
}

export type AutomationGroup = {
  /** Each counted once, by the first entry of the span. */
  people: number
  /** Of these: who did what the goal is within its time. */
  reached: number
  /** Null: nobody is in it. */
  share: number | null
}

export type AutomationInsideFates = {
  /** People in older versions; the sum of the others. */
  inside: number
  /** Keep their place, in the new version. */
  keep: number
  /** Come to another node, as `map` says. */
  move: number
  leave: number
  /** Stay in the version they are in. */
  stay: number
  /** Stand at a node that is no more. Publishing is refused until `map` says where they go on. */
  homeless: number
}

export type AutomationLastBackfill = {
  last: AutomationBackfillLast | null
}

export type AutomationLift = {
  from: string
  to: string
  /** The event that is the goal of the version in force. */
  goal: string | null
  entered: AutomationGroup | null
  heldOut: AutomationGroup | null
  difference: AutomationLiftDifference | null
  /** The difference as a part of the share of those held out. Null: none of them reached it. */
  lift: number | null
  /** More came in: the newest 100,000 entries are counted. */
  isPartial: boolean
}

export type AutomationLiftDifference = {
  /** The share of those who came in, less that of those held out. */
  value: number
  /** The lower end of the interval of 95 %. */
  low: number
  high: number
}

export type AutomationListItem = {
  id: string
  /** Your name for it; recipients do not see it. Trimmed. */
  name: string
  /** `active`: people may come in. `closed`: nobody comes in, those inside go on. `paused`: nobody goes on. `stopped`: for good. */
  status: Open<'draft' | 'active' | 'closed' | 'paused' | 'stopped'>
  /** The event that brings people in, where it is a single one without a filter. */
  triggerEvent: string | null
  /** Null: its definition is not the linear form. */
  steps: Array<AutomationStepWritten> | null
  /** What is edited. It is in force once it is published. */
  definition: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios: Array<Record<string, unknown>>
  /** The version in force. Null: none yet. */
  publishedVersion: number | null
  /** Whether the definition differs from the version in force. */
  draftChanged: boolean
  /** Since when nobody goes on. Null: it is not paused. */
  pausedAt: string | null
  /** Who has paused it. */
  pausedBy: string | null
  createdAt: string
  updatedAt: string
  /** How often anybody has come in, those held out included. */
  entered: number
  /** People who are in it now. */
  inside: number
  /** Of those inside: how many have failed and wait for somebody. */
  parked: number
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

export type AutomationMailsAhead = {
  /** Whichever ways they go, provided that they may be mailed and that nothing takes them out. */
  atLeast: number
  /** On the ways with the most mails and the shortest times, as zones and dates are now. Null: somebody may go in a circle that has no bound. */
  atMost: number | null
}

export type AutomationNextDay = {
  /** Timers that end within 24 hours as it stands. */
  timersBefore: number
  /** The same once it is published. */
  timersAfter: number
  mailsBefore: AutomationMailsAhead
  mailsAfter: AutomationMailsAhead
  /** Reckoned from the first 2,000 people of a node. */
  isEstimate: boolean
}

export type AutomationNodeCounts = {
  /** The id of the node. */
  node: string
  version: number
  entered: number
  /** Now, whatever `last` says. Without it entered = here + left + ended, at every moment. */
  here: number
  /** Of those who entered: how many a publishing took along out of an older version, and no step led here. */
  movedIn: number
  left: number
  /** Of those who left: how many a publishing took along into a newer version, so that they did not go on. */
  movedOut: number
  ended: number
  /** Of those here: how many have failed and wait for somebody. */
  parked: number
  mails: AutomationNodeMails | null
  /** Too many have failed here: whoever comes is parked untried. */
  isHalted: boolean
  /** By which way they left, or how they ended here: `exit:<reason>`. */
  ways: Array<AutomationWayCount>
}

export type AutomationNodeDiff = {
  node: string
  change: Open<'added' | 'removed' | 'changed' | 'same'>
  /** Those that differ. */
  fields: Array<string>
  /** Who stands there, in an older version. */
  people: number
  /** The newest version in which somebody stands there; null for nobody. */
  version: number | null
  /** What becomes of them; null for nobody. */
  fate: Open<'keeps' | 'moves' | 'leaves' | 'stays' | 'homeless'> | null
  /** Where they go on, of the new version. */
  to: string | null
  nextDay: AutomationNextDay
}

export type AutomationNodeMails = {
  /** Mails that the mail server or provider took. */
  accepted: number
  /** Of people, each mail once, however often it was opened. */
  opened: number
  /** Of people, each mail once. */
  clicked: number
  unsubscribed: number
  bounced: number
  complained: number
}

export type AutomationOverlap = {
  kind: Open<'broadcast' | 'automation'>
  id: string
  name: string | null
  people: number
  mails: number
  /** Mails within 24 hours of one of the draft’s to the same person. */
  withinDay: number
}

export type AutomationParkedBody = {
  /** Only those at this node. */
  node?: string
}

export type AutomationPublishBody = {
  /** Of those in older versions. `stay` (default): they go on there. `move`: they come to the node of the same id, with its new time, or to the one that `map` names. `exit`: they leave. */
  inside?: 'stay' | 'move' | 'exit'
  /** Where those at a node go on. A node at which somebody stands and that is no more must be here. */
  map?: Record<string, string>
  /** Only those who stand at these nodes; all by default. */
  nodes?: Array<string>
}

export type AutomationPublishFault = {
  pointer: string
  detail: string
}

export type AutomationPublishPreview = {
  /** Whether there would be a new version; else only those in older ones are concerned. */
  publishes: boolean
  /** Parts beside the nodes that differ. */
  parts: Array<string>
  people: AutomationInsideFates
  nextDay: AutomationNextDay
  nodes: Array<AutomationNodeDiff>
  /** For which publishing would be refused. */
  faults: Array<AutomationPublishFault>
}

export type AutomationPublished = {
  /** The version in force. */
  version: number
  inside: Open<'stay' | 'move' | 'exit'>
  /** How many of those inside come along, or leave, in chunks. */
  people: number
}

export type AutomationRefusals = {
  reason: string
  count: number
}

export type AutomationResults = {
  /** The beginning of the first hour or day. */
  from: string
  to: string
  interval: Open<'hour' | 'day'>
  /** The zone of the days. */
  timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */
  series: Array<AutomationResultsPoint>
  /** The newest first, up to 100: of those who are in each, or have ended in it. */
  versions: Array<AutomationVersionResults>
  totals: {
    /** How often somebody came in, those held out aside. */
    entered: number
    /** How many of these entries have reached the goal so far. */
    goals: number
    /** What the goal sums up, of all who reached it. */
    value: number
    /** How often somebody was held out instead. */
    heldOut: number
  }
}

export type AutomationResultsPoint = {
  /** The beginning of the hour or day in which they came in. */
  at: string
  /** How often somebody came in, those held out aside. */
  entered: number
  /** How many of these entries have reached the goal so far. */
  goals: number
  /** What the goal sums up, of all who reached it. */
  value: number
  /** How often somebody was held out instead. */
  heldOut: number
}

export type AutomationResumeBody = {
  /** `shift` (default): every timer is put off by as long as it was paused. `now`: whatever became due meanwhile is done at once. `drop`: so as well, without mail that is overdue by more than `dropAfter`. */
  late?: 'shift' | 'now' | 'drop'
  /** Of `drop`: ISO 8601, without months; a day has 24 hours. */
  dropAfter?: string
}

export type AutomationRevision = {
  /** Counted from 1. */
  revision: number
  by: AutomationAuthor | null
  begunAt: string
  /** Of the last save that went into it. */
  savedAt: string
  /** The revision that it was brought back from. */
  restoredFrom: number | null
  /** What is edited. It is in force once it is published. */
  definition: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios: Array<Record<string, unknown>>
  since: AutomationRevisionDiff
}

export type AutomationRevisionDiff = {
  /** Parts beside the nodes that differ now. */
  parts: Array<string>
  nodes: Array<AutomationRevisionNode>
  /** Whether the scenarios differ. */
  scenarios: boolean
}

export type AutomationRevisionNode = {
  node: string
  change: Open<'added' | 'removed' | 'changed' | 'same'>
  /** Those that differ. */
  fields: Array<string>
}

export type AutomationRevisionSummary = {
  /** Counted from 1. */
  revision: number
  by: AutomationAuthor | null
  begunAt: string
  /** Of the last save that went into it. */
  savedAt: string
  /** The revision that it was brought back from. */
  restoredFrom: number | null
}

export type AutomationRevisionSummaryPage = {
  items: Array<AutomationRevisionSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AutomationRun = {
  id: string
  /** Null after an erasure. */
  contactId: string | null
  version: number
  state: Open<'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'>
  /** Why it has exited. */
  reason: string | null
  /** Where it stands, or ended. */
  node: string | null
  /** The value that tells entries of one contact apart. */
  entryKey: string
  /** The moment of the event that brought it in. */
  enteredAt: string
  /** When its timer ends, if it waits. */
  dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */
  error: string | null
}

export type AutomationRunPage = {
  items: Array<AutomationRun>
  /** Absent on the last page. */
  nextCursor?: string
}

export type AutomationRunScenarios = {
  /** Instead of the draft. */
  definition?: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */
  scenarios?: Array<Record<string, unknown>>
}

export type AutomationRunTrace = {
  id: string
  /** Null after an erasure. */
  contactId: string | null
  version: number
  state: Open<'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'>
  /** Why it has exited. */
  reason: string | null
  /** Where it stands, or ended. */
  node: string | null
  /** The value that tells entries of one contact apart. */
  entryKey: string
  /** The moment of the event that brought it in. */
  enteredAt: string
  /** When its timer ends, if it waits. */
  dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */
  error: string | null
  /** Variables as they are, or were when it ended. */
  variables: Record<string, unknown>
  steps: Array<AutomationRunStep>
}

export type AutomationScenarioLine = {
  /** `met`: as expected. `other_time`: at another moment. `missing`: expected, and has not happened. `unexpected`: has happened, and nobody expected it. */
  outcome: Open<'met' | 'other_time' | 'missing' | 'unexpected'>
  kind: Open<'mail' | 'tag' | 'untag' | 'end' | 'refused'>
  /** The node of a mail, the name of a tag, an end, or a reason. */
  what: string
  /** Where it has happened, or was to happen; null where no node is concerned. */
  node: string | null
  /** Null: expected at any moment, or not expected. */
  expectedAt: string | null
  /** Null: it has not happened. */
  seenAt: string | null
}

export type AutomationScenarioResult = {
  name: string
  passed: boolean
  /** Why it could not be played with the definition as it is; null where it was played. */
  fault: string | null
  startedAt: string
  /** Expected and seen beside each other, in order of time. */
  lines: Array<AutomationScenarioLine>
  /** The way that was gone; its first step is the entry, of an empty name. */
  steps: Array<AutomationScenarioStep>
  /** Mails that the person was not sent, and why. */
  skipped: Array<AutomationScenarioSkip>
}

export type AutomationScenarioRun = {
  /** Whether every scenario is told as it is written. */
  passed: boolean
  items: Array<AutomationScenarioResult>
}

export type AutomationScenarioSkip = {
  /** The id of the node. */
  node: string
  reason: string
}

export type AutomationScenarioStep = {
  /** The id of the node. */
  node: string
  way: string
  /** The id of the node. */
  next: string | null
  at: string
}

export type AutomationSimulate = {
  /** How long the window is; 30 when absent. */
  days?: number
  /** When the window ends: now when absent, and never later. */
  until?: string
  /** So much of all people, for ever the same; 100 when absent. */
  samplePercent?: number
}

export type AutomationSimulated = {
  /** Who came in at least once. */
  people: number
  /** Entries of all of them. */
  entered: number
  refused: Array<AutomationSimulatedRefusals>
  /** Runs by how they ended. */
  ended: Array<AutomationSimulatedEnds>
  /** Runs that had no end yet when the window ended. */
  inside: number
  goals: number
  goalValue: number
  /** The entry is the node of an empty name. */
  nodes: Array<AutomationSimulatedNode>
  mails: AutomationSimulatedMails
  assumed: AutomationAssumed
}

export type AutomationSimulatedDay = {
  day: string
  count: number
}

export type AutomationSimulatedEnds = {
  end: string
  count: number
}

export type AutomationSimulatedHolds = {
  reason: string
  count: number
}

export type AutomationSimulatedLive = {
  /** Who came in at least once. */
  people: number
  /** Entries of all of them. */
  entered: number
  refused: Array<AutomationSimulatedRefusals>
  /** Runs by how they ended. */
  ended: Array<AutomationSimulatedEnds>
  /** Runs that had no end yet when the window ended. */
  inside: number
  goals: number
  goalValue: number
  /** The entry is the node of an empty name. */
  nodes: Array<AutomationSimulatedNode>
  mails: AutomationSimulatedMails
  assumed: AutomationAssumed
}

export type AutomationSimulatedMails = {
  total: number
  /** Who got at least one. */
  people: number
  days: Array<AutomationSimulatedDay>
  perPerson: AutomationSpread
  /** Mails that had to wait by the settings of now (`quiet_hours`, `frequency_cap`), whatever became of them. */
  held: Array<AutomationSimulatedHolds>
  /** Of those: how many still wait when the window ends. */
  waiting: number
}

export type AutomationSimulatedNode = {
  /** The id of the node. */
  node: string
  entered: number
  mails: number
  /** People of whom the team would have been told. */
  notices: number
  /** By which way they left, or how they ended here. */
  ways: Array<AutomationSimulatedWay>
  /** Mails that would not have gone out, by reason. */
  skipped: Array<AutomationSimulatedSkips>
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
  /** The id of the node. */
  node: string
  way: string
  /** The id of the node. */
  next: string | null
  leftAt: string
}

export type AutomationSimulatedTrace = {
  /** How many went this way. */
  runs: number
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
  state: Open<'running' | 'done' | 'canceled' | 'failed'>
  from: string
  until: string
  samplePercent: number
  /** The version that the draft is compared with. */
  liveVersion: number | null
  people: AutomationSimulationPeople
  /** Events that were replayed. */
  events: number
  failure: string | null
  createdAt: string
  endedAt: string | null
  report: AutomationSimulationReport | null
}

export type AutomationSimulationList = {
  items: Array<AutomationSimulationSummary>
}

export type AutomationSimulationPeople = {
  total: number
  done: number
}

export type AutomationSimulationReport = {
  /** It ended at a limit of time or events before everybody was looked at, or not all events of somebody were. */
  isPartial: boolean
  /** People who have done more than is replayed of one person: part of it is left out. */
  peopleCut: number
  /** Triggers of the draft that no event stands for, so nobody comes in by them here. */
  notReplayed: Array<Open<'date' | 'schedule' | 'manual'>>
  draft: AutomationSimulated
  live: AutomationSimulatedLive | null
  compared: AutomationCompared | null
  /** What else reached those whom the draft mails, the most first. */
  others: Array<AutomationOverlap>
  perWeek: AutomationSpread
  /** The ten ways that most have gone, with the first person on each. */
  traces: Array<AutomationSimulatedTrace>
}

export type AutomationSimulationSummary = {
  id: string
  automationId: string
  state: Open<'running' | 'done' | 'canceled' | 'failed'>
  from: string
  until: string
  samplePercent: number
  /** The version that the draft is compared with. */
  liveVersion: number | null
  people: AutomationSimulationPeople
  /** Events that were replayed. */
  events: number
  failure: string | null
  createdAt: string
  endedAt: string | null
}

export type AutomationSpread = {
  p50: number
  p95: number
  max: number
}

export type AutomationSteeredRuns = {
  runs: number
}

export type AutomationStep = {
  type: 'email' | 'wait' | 'apply_tag' | 'remove_tag'
  /** Of an email, with Liquid. */
  subject?: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */
  body?: string | null
  /** Of a wait. */
  seconds?: number | null
  /** The name of a tag to apply or to remove. */
  tag?: string | null
}

export type AutomationStepWritten = {
  type: Open<'email' | 'wait' | 'apply_tag' | 'remove_tag'>
  /** Of an email, with Liquid. */
  subject: string | null
  /** Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end. */
  body: string | null
  /** Of a wait. */
  seconds: number | null
  /** The name of a tag to apply or to remove. */
  tag: string | null
}

export type AutomationTest = {
  /** Null: the sample person. */
  contactId: string | null
  /** Where the mails go. */
  destination: string
  /** Why they do not come in. Null: they do. */
  refused: string | null
  /** How it ends. Null: it does not, within 400 days. */
  end: string | null
  /** The first twenty. */
  mails: Array<AutomationTestMail>
  /** The way that they go; its first step is the entry, of an empty name. */
  steps: Array<AutomationTestStep>
  /** Mails that they would not be sent, and why. */
  skipped: Array<AutomationTestSkip>
  /** What a run would do besides, and a test does not. */
  notDone: Array<AutomationTestEffect>
}

export type AutomationTestBody = {
  /** Whose way it is; needs `contacts:read`. Without: a sample person. */
  contactId?: string
  /** Where the mails go: to a member of the workspace, or with `emails:send` to anybody. Without: to you, or, of a token, to the first owner. */
  email?: string
  /** What happens to them, and when, as scenarios have it (docs/guides/automations.md#scenarios). Without: the first trigger. */
  given?: Array<Record<string, unknown>>
}

export type AutomationTestEffect = {
  /** The id of the node. */
  node: string
  kind: string
}

export type AutomationTestMail = {
  /** The id of the node. */
  node: string
  messageId: string
  subject: string
  /** When it would be sent. */
  at: string
  /** When the test sends it: each wait is three seconds. */
  sentFrom: string
}

export type AutomationTestSkip = {
  /** The id of the node. */
  node: string
  reason: string
}

export type AutomationTestStep = {
  /** The id of the node. */
  node: string
  way: string
  /** The id of the node. */
  next: string | null
  at: string
}

export type AutomationVersion = {
  version: number
  publishedAt: string
  definition: Record<string, unknown>
}

export type AutomationVersionResults = {
  version: number
  /** How often somebody came in, those held out aside. */
  entered: number
  /** How many of these entries have reached the goal so far. */
  goals: number
  /** What the goal sums up, of all who reached it. */
  value: number
  /** How often somebody was held out instead. */
  heldOut: number
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

export interface AutomationsOperations {
  /** Activate an automation. Publishes the draft, if it differs from the version in force, and opens the entry. Those inside stay in their version. `If-Match` names the draft that is meant. 409 `scenarios-failed` where scenarios fail. Needs the scope `automations:activate`. */
  activate(id: string, query?: {
    /** Publishes although scenarios fail: for people who run the workspace, and noted in the audit log. */
    despiteScenarios?: boolean
  }, options?: PostOptions & GuardedOptions): Promise<Automation>

  /** Have past triggers go through the entry. In the background. Whether anybody comes in the rules of the entry decide: `explain` has the verdict on each. Needs the scope `automations:activate`. */
  backfill(id: string, body: AutomationBackfillBody, options?: PostOptions): Promise<AutomationBackfill>

  /** Cancel a simulation. It leaves no report. Needs the scope `automations:read`. */
  cancelSimulation(id: string, simulationId: string, options?: PostOptions): Promise<AutomationSimulation>

  /** Count people at each node. Exact at every moment: of each node and version entered = here + left + ended. With `last` those alone are counted who came, went on or ended within the last day, week or month. Needs the scope `automations:read`. */
  counts(id: string, query?: {
    /** Those alone who came, went on or ended in this time; who is here is as of now. */
    last?: '24h' | '7d' | '30d'
  }, options?: Options): Promise<AutomationCounts>

  /** Create an automation. Creates a draft; nobody comes in before it is activated. A definition with a fault is answered 422, with a pointer to each node at fault and what would be right, such as `{"pointer":"/definition/nodes/w1/timeout","detail":"must say for how long at most, such as P3D: …"}`. Needs the scope `automations:write`. */
  create(body: AutomationBody, options?: PostOptions): Promise<Tagged<Automation>>

  /** Close the entry of an automation. Nobody comes in any more; those inside go on. Needs the scope `automations:activate`. */
  deactivate(id: string, options?: PostOptions): Promise<Automation>

  /** Delete an automation. One that was in force is stopped: everybody inside leaves it, queued mail is taken back. Needs the scope `automations:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Enroll contacts. Those named, or those of a segment. The automation takes each by its own rules, without its filter of events. Needs the scope `automations:activate`. */
  enroll(id: string, body: AutomationEnrollBody, options?: PostOptions): Promise<AutomationEnrolled>

  /** Have parked runs leave. All, or those of a node; 10,000 a call. Needs the scope `automations:activate`. */
  exitParked(id: string, body?: AutomationParkedBody, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Have a run leave. Wherever it stands; its queued mail is taken back. Needs the scope `automations:activate`. */
  exitRun(id: string, runId: string, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Explain a contact. Why it is in or not, what happened to it, and what comes next and when. Values that rules asked for are there with the scope `contacts:read` alone. Needs the scope `automations:read`. */
  explain(id: string, query?: {
    /** Required: whom to explain. */
    contactId?: string
  }, options?: Options): Promise<AutomationExplanation>

  /** Read an automation. With its draft. Needs the scope `automations:read`. */
  get(id: string, options?: Options): Promise<Tagged<Automation>>

  /** Read the last backfill. How far it is. Needs the scope `automations:read`. */
  getBackfill(id: string, options?: Options): Promise<AutomationLastBackfill>

  /** Read a revision of a draft. With what is other in the draft of now. Needs the scope `automations:read`. */
  getRevision(id: string, revision: string, options?: Options): Promise<AutomationRevision>

  /** Read a simulation. How far it is, and its report once it is done. Needs the scope `automations:read`. */
  getSimulation(id: string, simulationId: string, options?: Options): Promise<AutomationSimulation>

  /** Read a version of an automation. Needs the scope `automations:read`. */
  getVersion(id: string, version: string, options?: Options): Promise<AutomationVersion>

  /** Compare those who came in with those held out. How many of both did what the goal is within its time after their entry, and the difference with its interval. Without `from` the last 90 days. Needs the scope `automations:read`. */
  lift(id: string, query?: {
    /** 90 days before `to` when absent. */
    from?: string
    /** Now when absent. */
    to?: string
  }, options?: Options): Promise<AutomationLift>

  /** List automations. Ascending by id, each with how many are in it. All numbers are exact. Needs the scope `automations:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    status?: 'draft' | 'active' | 'closed' | 'paused' | 'stopped'
    /** Only those whose name contains this text. */
    search?: string
  }, options?: Options): List<AutomationListItemPage>

  /** List the revisions of a draft. Newest first: whatever one author saved within ten minutes is one. The newest 50 are kept, for 180 days, and the newest of all for good. Needs the scope `automations:read`. */
  listRevisions(id: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<AutomationRevisionSummaryPage>

  /** List the simulations of an automation. The last 20, newest first, without their reports. Needs the scope `automations:read`. */
  listSimulations(id: string, options?: Options): Promise<AutomationSimulationList>

  /** List the versions of an automation. Newest first. A version never changes. Needs the scope `automations:read`. */
  listVersions(id: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<AutomationVersionSummaryPage>

  /** Pause an automation. From the answer on nobody goes on and no mail of it goes out. Whoever wants to come in waits; exits take effect. Needs the scope `automations:activate`. */
  pause(id: string, options?: PostOptions): Promise<Automation>

  /** Count past triggers. How many events of its triggers there were, whose they are, and who of these has come in before. Nothing happens. Needs the scope `automations:read`. */
  previewBackfill(id: string, query?: {
    /** How far back; 30 when absent. */
    days?: number
  }, options?: Options): Promise<AutomationBackfillPreview>

  /** See what publishing would do. Node by node: what differs, who stands there, where they go on, and what the next 24 hours hold. Needs the scope `automations:write`. */
  previewPublish(id: string, body: AutomationPublishBody, options?: PostOptions & GuardedOptions): Promise<AutomationPublishPreview>

  /** Publish the draft. Makes it the version in force; whether anybody may come in stays as it is. Those inside older versions stay there, come along, or leave, in chunks; whatever an earlier publishing had begun for them and has not done yet is revoked. With an unchanged draft only those inside are concerned. `If-Match` names the draft that is meant. 409 `scenarios-failed` where scenarios fail. Needs the scope `automations:activate`. */
  publish(id: string, body: AutomationPublishBody, query?: {
    /** Publishes although scenarios fail: for people who run the workspace, and noted in the audit log. */
    despiteScenarios?: boolean
  }, options?: PostOptions & GuardedOptions): Promise<AutomationPublished>

  /** Restore a revision of a draft. Makes it the draft again, as a new revision; the name stays, and so does what is in force. Needs the scope `automations:write`. */
  restoreRevision(id: string, revision: string, options?: PostOptions & GuardedOptions): Promise<Tagged<Automation>>

  /** Read what came of those who came in. How many came in and reached the goal, and the value of it, by the day (of 400 days at most) or hour (of 32) of their entry and by version. Without `from` the last 30 days. Whoever has time left until the goal may still reach it. Needs the scope `automations:read`. */
  results(id: string, query?: {
    /** Taken back to the beginning of its hour or day. */
    from?: string
    /** Now when absent. */
    to?: string
    /** Absent: `day` of a workspace, `hour` of a broadcast. */
    interval?: 'hour' | 'day'
    /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */
    timeZone?: string
    /** That version alone. */
    version?: number
  }, options?: Options): Promise<AutomationResults>

  /** Resume an automation. Nobody was lost meanwhile. `late` says what becomes of timers. Needs the scope `automations:activate`. */
  resume(id: string, body: AutomationResumeBody, options?: PostOptions): Promise<Automation>

  /** Retry parked runs. All, or those of a node; 10,000 a call. A node that is halted is no more. Needs the scope `automations:activate`. */
  retryParked(id: string, body?: AutomationParkedBody, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Retry a run. Tries the node again that it is parked at. Needs the scope `automations:activate`. */
  retryRun(id: string, runId: string, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Revoke a backfill. Nobody more comes in by it, neither those who wait for their turn. Those inside stay. Needs the scope `automations:activate`. */
  revokeBackfill(id: string, options?: PostOptions): Promise<AutomationBackfill>

  /** Read a run. With its trace: each node it left, by which way, and what decided. Values of the contact that rules asked for are there with the scope `contacts:read` alone. Needs the scope `automations:read`. */
  run(id: string, runId: string, options?: Options): Promise<AutomationRunTrace>

  /** Play scenarios. Plays the scenarios of the draft, or those that are given, on a clock of their own, and holds what comes of them against what is expected. Nobody is mailed and nothing is written. A fault of what is given is 422 with a pointer. Needs the scope `automations:read`. */
  runScenarios(id: string, body: AutomationRunScenarios, options?: PostOptions): Promise<AutomationScenarioRun>

  /** List the runs of an automation. Newest first, live and ended. With `node` or `state` a page looks through some thousands: it may have fewer than `limit`, or none, and a `nextCursor`. Needs the scope `automations:read`. */
  runs(id: string, query?: {
    state?: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
    node?: string
    contactId?: string
    limit?: number
    cursor?: string
  }, options?: Options): List<AutomationRunPage>

  /** Simulate the draft. Replays what really happened within a window through the draft and through the version in force, in the background. Nobody is mailed, and nothing but the report is written. Everybody begins outside. Needs the scope `automations:read`. */
  simulate(id: string, body: AutomationSimulate, options?: PostOptions): Promise<AutomationSimulation>

  /** Have parked runs go on behind their nodes. All, or those of a node; 10,000 a call. Needs the scope `automations:activate`. */
  skipParked(id: string, body?: AutomationParkedBody, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Have a run go on behind its node. Goes on from the node that it is parked at, which is not done: a branch by `else`, an email by `skipped`. Needs the scope `automations:activate`. */
  skipRun(id: string, runId: string, options?: PostOptions): Promise<AutomationSteeredRuns>

  /** Stop an automation. For good: everybody inside leaves it, and mail that is not being handed over yet is taken back. Needs the scope `automations:activate`. */
  stop(id: string, options?: PostOptions): Promise<Automation>

  /** Test the draft on one person. Walks one person through the draft, from now on and with each wait cut to three seconds, and sends its mails to the team, their subjects beginning with “[Test]”. Nothing else is done, and nothing is counted. They go through the default integration, and their links to unsubscribe stop nothing. Needs the scope `automations:write`. */
  test(id: string, body: AutomationTestBody, options?: PostOptions): Promise<AutomationTest>

  /** Change an automation. Changes the draft: what is published stays in force until the next version is. A definition with a fault is answered 422, with a pointer to each node at fault and what would be right, such as `{"pointer":"/definition/nodes/w1/timeout","detail":"must say for how long at most, such as P3D: …"}`. Needs the scope `automations:write`. */
  update(id: string, body: AutomationChange, options?: GuardedOptions): Promise<Tagged<Automation>>
}
