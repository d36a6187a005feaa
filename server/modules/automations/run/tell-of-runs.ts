import { momentOf } from '../micros.ts'
import { emitRunEvents, type RunNews } from './run-events.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Emits what a turn has made of its runs: who came in, reached the goal, came to the end or left. Rests are no news. */
export async function tellOfRuns(context: TurnContext, runs: readonly Run[]): Promise<void> {
  await emitRunEvents(
    context.tx,
    context.workspaceId,
    runs.flatMap((run) => newsOf(context, run)),
  )
}

/** Of one who is held out nothing is told: as far as anybody else is concerned they never came. */
function newsOf({ automationId, name }: TurnContext, run: Run): RunNews[] {
  if (run.end?.state === 'held_out') return []
  const { version, id: runId, contactId, entryKey, depth } = run
  const of = { automationId, name, version, runId, contactId, entryKey, enteredAt: momentOf(run.enteredAt), depth }
  const news: RunNews[] = []
  if (run.isNew) news.push({ ...of, type: 'automation.entered', more: {} })
  if (run.reached) {
    const value = run.goalValue === null ? null : JSON.rawJSON(run.goalValue)
    news.push({ ...of, type: 'automation.goal_reached', more: { goalAt: momentOf(run.goalAt!), value } })
  }
  const end = { endedAt: momentOf(run.at), node: run.node }
  if (run.end?.state === 'completed') news.push({ ...of, type: 'automation.completed', more: end })
  if (run.end?.state === 'exited') {
    news.push({ ...of, type: 'automation.exited', more: { ...end, reason: run.end.reason } })
  }
  return news
}
