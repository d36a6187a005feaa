// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AutomationRunScenarios = {
  /** Instead of the draft. */ definition?: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */ scenarios?: Array<Record<string, unknown>>
}

export type AutomationScenarioLine = {
  /** `met`: as expected. `other_time`: at another moment. `missing`: expected, and has not happened. `unexpected`: has happened, and nobody expected it. */ outcome: 'met' | 'other_time' | 'missing' | 'unexpected'
  kind: 'mail' | 'tag' | 'untag' | 'end' | 'refused'
  /** The node of a mail, the name of a tag, an end, or a reason. */ what: string
  /** Where it has happened, or was to happen; null where no node is concerned. */ node: string | null
  /** Null: expected at any moment, or not expected. */ expectedAt: string | null
  /** Null: it has not happened. */ seenAt: string | null
}

export type AutomationScenarioResult = {
  name: string
  passed: boolean
  /** Why it could not be played with the definition as it is; null where it was played. */ fault: string | null
  startedAt: string
  /** Expected and seen beside each other, in order of time. */ lines: Array<AutomationScenarioLine>
  /** The way that was gone; its first step is the entry, of an empty name. */ steps: Array<AutomationScenarioStep>
  /** Mails that the person was not sent, and why. */ skipped: Array<AutomationScenarioSkip>
}

export type AutomationScenarioRun = {
  /** Whether every scenario is told as it is written. */ passed: boolean
  items: Array<AutomationScenarioResult>
}

export type AutomationScenarioSkip = {
  /** The id of the node. */ node: string
  reason: string
}

export type AutomationScenarioStep = {
  /** The id of the node. */ node: string
  way: string
  /** The id of the node. */ next: string | null
  at: string
}

export type ScenariosOperations = {
  'POST /automations/{id}/run-scenarios': {
    params: { id: string }
    query: undefined
    body: AutomationRunScenarios
    answer: AutomationScenarioRun
  }
}
