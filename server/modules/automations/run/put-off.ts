import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { asks } from '../definition/definition.ts'
import { type Micros, microsOf } from '../micros.ts'
import { restEnd } from './rest.ts'
import { nodeOf, type Run, TIMER_OF_RUN } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** A pause after which everything was put off. */
export type Pause = { number: number; pausedAt: Micros; took: Micros }

/**
 * Puts the ends of rests off by the pauses since they were last looked at, which nobody did when those ended: a million may
 * wait. A run whose end has moved gets its timer anew.
 */
export async function putOffRests(context: TurnContext, runs: readonly Run[]): Promise<void> {
  const behind = runs.filter((run) => run.pauses < context.pauses)
  if (behind.length === 0) return
  const pauses = await pausesBehind(context.tx, context, Math.min(...behind.map((run) => run.pauses)))
  const timers = await timersOf(context, behind)
  for (const run of behind) {
    const node = run.state === 'waiting' ? nodeOf(context, run) : undefined
    if (node?.type === 'delay' || node?.type === 'wait') {
      const end = endThen(restEnd(run, node), { timer: timers.get(run.id), asks: asks(node) })
      const later = putOff(
        end,
        pauses.filter(({ number }) => number > run.pauses),
      )
      run.putOff += later - end
      // One that may be due earlier for another reason is set anew when it comes.
      if (later > end && !asks(node)) run.timer = { dueAt: later, looks: false }
    }
    run.pauses = context.pauses
  }
}

/**
 * The end of a rest as it was in the pause: that of its timer, for its contact may have another time zone since, of which the run has yet
 * to be told. A timer that may be due for another reason is not behind it.
 */
function endThen(end: Micros, { timer, asks: mayBeEarlier }: { timer: Micros | undefined; asks: boolean }): Micros {
  if (timer === undefined) return end
  return mayBeEarlier && timer < end ? end : timer
}

async function timersOf(
  { tx, workspaceId, automationId }: TurnContext,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, Micros>> {
  const { rows } = await tx.query<{ id: string; due: string | null }>({
    name: 'timers_of_runs',
    text: `select r.id, ${TIMER_OF_RUN} as due
      from unnest($3::int8[], $4::int8[]) as g(contact_id, id)
      cross join lateral (select $1::bigint as workspace_id, $2::bigint as automation_id, g.contact_id, g.id) r`,
    values: [
      ...[workspaceId, automationId],
      int8Array(runs.map(({ contactId }) => contactId)),
      int8Array(runs.map(({ id }) => id)),
    ],
  })
  return new Map(rows.flatMap(({ id, due }) => (due === null ? [] : [[id, microsOf(due)] as const])))
}

/** The end of a rest after pauses, in their order: one that had come before a pause stays. */
export function putOff(end: Micros, pauses: readonly Pause[]): Micros {
  return pauses.reduce((due, { pausedAt, took }) => (due > pausedAt ? due + took : due), end)
}

async function pausesBehind(
  tx: Transaction,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  number: number,
): Promise<Pause[]> {
  const { rows } = await tx.query<{ number: number; pausedAt: string; took: string }>({
    name: 'pauses_behind',
    text: `select number, paused_at as "pausedAt", (extract(epoch from took) * 1000000)::bigint as took from automation_pauses
      where workspace_id = $1 and automation_id = $2 and number > $3 order by number`,
    values: [workspaceId, automationId, number],
  })
  return rows.map((row) => ({ number: row.number, pausedAt: microsOf(row.pausedAt), took: BigInt(row.took) }))
}
