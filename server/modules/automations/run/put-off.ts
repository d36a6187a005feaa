import type { Transaction } from '../../../platform/db/transaction.ts'
import { asks } from '../definition/definition.ts'
import { type Micros, microsOf } from '../micros.ts'
import { restEnd } from './rest.ts'
import { nodeOf, type Run } from './run-state.ts'
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
  for (const run of behind) {
    const node = run.state === 'waiting' ? nodeOf(context, run) : undefined
    if (node?.type === 'delay' || node?.type === 'wait') {
      const end = restEnd(run, node)
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
