// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { AutomationRunTrace, AutomationSteeredRuns } from './shared.ts'

export type AutomationRun = {
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
}

export type AutomationRunPage = {
  items: Array<AutomationRun>
  /** Absent on the last page. */ nextCursor?: string
}

export type RunsOperations = {
  'GET /automations/{id}/runs': {
    params: { id: string }
    query: {
  state?: 'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'
  node?: string
  contactId?: string
  limit?: number
  cursor?: string
}
    body: undefined
    answer: AutomationRunPage
  }
  'GET /automations/{id}/runs/{runId}': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationRunTrace
  }
  'POST /automations/{id}/runs/{runId}/exit': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/runs/{runId}/retry': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationSteeredRuns
  }
  'POST /automations/{id}/runs/{runId}/skip': {
    params: { id: string; runId: string }
    query: undefined
    body: undefined
    answer: AutomationSteeredRuns
  }
}
