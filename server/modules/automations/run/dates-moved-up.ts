import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Definition, fieldOf, isDated, type WaitNode } from '../definition/definition.ts'
import { microsOf } from '../micros.ts'
import { type Dated, momentsAt } from './dates-of-runs.ts'
import { zoneOf } from './rest.ts'
import { TIMER_OF_RUN } from './run-state.ts'
import type { Variables } from './variables.ts'

type Waiting = { id: string; contactId: string; eventId: string | null; variables: Variables }
type Timed = { id: string; at: string; zone: string | null; dueAt: string }

/** Those of the people at a wait whose date has been changed since, to one before their timer. */
export async function datesMovedUp<W extends Waiting>(
  tx: Transaction,
  workspaceId: string,
  { node, definition, waiting }: { node: WaitNode; definition: Definition; waiting: readonly W[] },
): Promise<W[]> {
  // A trigger stays as it was, and variables do while somebody waits.
  if (!node.for.some((way) => isDated(way) && fieldOf(way) !== undefined) || waiting.length === 0) return []
  const { rows } = await tx.query<Timed>({
    name: 'timers_of_dated_waits',
    text: `select r.id, r.at, c.time_zone as zone, q.due_at as "dueAt" from runs r
      join contacts c on c.workspace_id = r.workspace_id and c.id = r.contact_id
      cross join lateral ${TIMER_OF_RUN} q
      where r.workspace_id = $1 and r.id = any ($2::int8[])`,
    values: [workspaceId, int8Array(waiting.map(({ id }) => id))],
  })
  const timers = new Map(rows.map((row) => [row.id, row]))
  const people = waiting.flatMap((one): (Dated & { one: W; dueAt: string })[] => {
    const timer = timers.get(one.id)
    if (!timer) return []
    const { contactId, eventId, variables } = one
    return [
      {
        one,
        contactId,
        eventId,
        variables,
        at: microsOf(timer.at),
        zone: zoneOf(timer.zone, definition),
        dueAt: timer.dueAt,
      },
    ]
  })
  const moments = await momentsAt(tx, workspaceId, { node, people })
  return people
    .filter((person) => moments.get(person)!.some(({ at }) => at < microsOf(person.dueAt)))
    .map(({ one }) => one)
}
