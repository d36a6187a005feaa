// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options } from '../call.ts'
import type { List } from '../list.ts'

export type ContactAutomationRun = {
  id: string
  version: number
  state: Open<'waiting' | 'ready' | 'parked' | 'completed' | 'exited' | 'held_out' | 'failed' | 'erased'>
  /** Why it has exited. */
  reason: string | null
  /** Where it stands, or ended. */
  node: string | null
  /** The moment of the event that brought it in. */
  enteredAt: string
  /** When its timer ends, if it waits. */
  dueAt: string | null
  endedAt: string | null
  /** Why it is parked. */
  error: string | null
  automationId: string
  automationName: string
}

export type ContactAutomationRunPage = {
  items: Array<ContactAutomationRun>
  /** Absent on the last page. */
  nextCursor?: string
}

export interface ContactAutomationsOperations {
  /** List the automations of a contact. Newest first: each time that it came into one, where it stands there or how that ended. Needs the scope `automations:read`. */
  list(contactId: string, query?: {
    limit?: number
    cursor?: string
  }, options?: Options): List<ContactAutomationRunPage>
}
