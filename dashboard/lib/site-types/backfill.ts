// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AutomationBackfill = {
  state: 'running' | 'done' | 'revoked'
  asOf: 'now' | 'then'
  from: string
  until: string
  perMinute: number | null
  /** How many there were when it began. */ events: number
  /** How many are through, or wait for their turn. */ placed: number
  /** Of these: how many wait for their turn. */ waiting: number
  createdAt: string
  endedAt: string | null
}

export type AutomationBackfillBody = {
  /** People whose trigger happened in so many days up to now. */ days: number
  /** `now`: everybody begins now, by their newest event. `then`: as of their event, so that exits and goals since count, and mail that was due before now is skipped. */ asOf: 'now' | 'then'
  /** How many events go through the entry in a minute. Without: as fast as they can. */ perMinute?: number
}

export type AutomationBackfillLast = {
  state: 'running' | 'done' | 'revoked'
  asOf: 'now' | 'then'
  from: string
  until: string
  perMinute: number | null
  /** How many there were when it began. */ events: number
  /** How many are through, or wait for their turn. */ placed: number
  /** Of these: how many wait for their turn. */ waiting: number
  createdAt: string
  endedAt: string | null
} | null

export type AutomationBackfillPreview = {
  from: string
  until: string
  /** Events of triggers that nobody has come in by. */ events: number
  /** Whose they are. */ people: number
  /** Of these people: who has come in before, which the mode of the entry may refuse. */ enteredBefore: number
}

export type AutomationLastBackfill = {
  /** Null: there was none. */ last: AutomationBackfillLast
}

export type BackfillOperations = {
  'GET /automations/{id}/backfill': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: AutomationLastBackfill
  }
  'GET /automations/{id}/backfill-preview': {
    params: { id: string }
    query: {
  /** How far back; 30 when absent. */ days?: number
}
    body: undefined
    answer: AutomationBackfillPreview
  }
  'POST /automations/{id}/backfill': {
    params: { id: string }
    query: undefined
    body: AutomationBackfillBody
    answer: AutomationBackfill
  }
  'POST /automations/{id}/backfill/revoke': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: AutomationBackfill
  }
}
