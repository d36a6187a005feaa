// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AutomationAssumed = {
  decisions: number
  people: number
  on: Array<AutomationAssumption>
}

export type AutomationAssumption = {
  what: string
  count: number
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

export type AutomationOverlap = {
  kind: 'broadcast' | 'automation'
  id: string
  name: string | null
  people: number
  mails: number
  /** Mails within 24 hours of one of the draft’s to the same person. */ withinDay: number
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

export type AutomationSimulatedHolds = {
  reason: string
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
  /** Mails that had to wait by the settings of now (`quiet_hours`, `frequency_cap`), whatever became of them. */ held: Array<AutomationSimulatedHolds>
  /** Of those: how many still wait when the window ends. */ waiting: number
}

export type AutomationSimulatedNode = {
  /** The id of the node. */ node: string
  entered: number
  mails: number
  /** People of whom the team would have been told. */ notices: number
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

export type SimulationsOperations = {
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
}
