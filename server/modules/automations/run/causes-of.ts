import type { Cause } from '../../domain-events/cause.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** The cause of what runs do to their contacts, by these. */
export function causesOf({ automationId }: TurnContext, runs: readonly Run[]): ReadonlyMap<string, Cause> {
  return new Map(runs.map(({ id, contactId, depth }) => [contactId, { automationId, runId: id, depth: depth + 1 }]))
}
