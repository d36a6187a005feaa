// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AutomationResults = {
  /** The beginning of the first hour or day. */ from: string
  to: string
  interval: 'hour' | 'day'
  /** The zone of the days. */ timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */ series: Array<AutomationResultsPoint>
  /** The newest first, up to 100: of those who are in each, or have ended in it. */ versions: Array<AutomationVersionResults>
  totals: {
    /** How often somebody came in, those held out aside. */ entered: number
    /** How many of these entries have reached the goal so far. */ goals: number
    /** What the goal sums up, of all who reached it. */ value: number
    /** How often somebody was held out instead. */ heldOut: number
  }
}

export type AutomationResultsPoint = {
  /** The beginning of the hour or day in which they came in. */ at: string
  /** How often somebody came in, those held out aside. */ entered: number
  /** How many of these entries have reached the goal so far. */ goals: number
  /** What the goal sums up, of all who reached it. */ value: number
  /** How often somebody was held out instead. */ heldOut: number
}

export type AutomationVersionResults = {
  version: number
  /** How often somebody came in, those held out aside. */ entered: number
  /** How many of these entries have reached the goal so far. */ goals: number
  /** What the goal sums up, of all who reached it. */ value: number
  /** How often somebody was held out instead. */ heldOut: number
}

export type ResultsOperations = {
  'GET /automations/{id}/results': {
    params: { id: string }
    query: {
  /** Taken back to the beginning of its hour or day. */ from?: string
  /** Now when absent. */ to?: string
  /** Absent: `day` of a workspace, `hour` of a broadcast. */ interval?: 'hour' | 'day'
  /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */ timeZone?: string
  /** That version alone. */ version?: number
}
    body: undefined
    answer: AutomationResults
  }
}
