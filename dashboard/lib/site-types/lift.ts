// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AutomationGroup = {
  /** Each counted once, by the first entry of the span. */ people: number
  /** Of these: who did what the goal is within its time. */ reached: number
  /** Null: nobody is in it. */ share: number | null
} | null

export type AutomationLift = {
  from: string
  to: string
  /** The event that is the goal of the version in force. */ goal: string | null
  /** Null: there is no goal. */ entered: AutomationGroup
  /** Null: there is no goal. */ heldOut: AutomationGroup
  /** With its interval of 95 % by Newcombe (1998), method 10. Null: one of the groups is empty. */ difference: AutomationLiftDifference
  /** The difference as a part of the share of those held out. Null: none of them reached it. */ lift: number | null
  /** More came in: the newest 100,000 entries are counted. */ isPartial: boolean
}

export type AutomationLiftDifference = {
  /** The share of those who came in, less that of those held out. */ value: number
  /** The lower end of the interval of 95 %. */ low: number
  high: number
} | null

export type LiftOperations = {
  'GET /automations/{id}/lift': {
    params: { id: string }
    query: {
  /** 90 days before `to` when absent. */ from?: string
  /** Now when absent. */ to?: string
}
    body: undefined
    answer: AutomationLift
  }
}
