import { type DelayNode, isAsked, type RuleText, type WaitNode } from '../definition/definition.ts'
import { momentOf } from '../micros.ts'
import { type Subject, subjectsFor } from './judge-rules.ts'
import type { Run } from './run-state.ts'
import type { Leaving, TurnContext } from './turn-context.ts'

/** The first of some rules that holds for a run, and which of them did when they were asked. */
export type Answer = { n: number | undefined; holds: boolean[] }

/** Asks rules of runs one after the other, each only of those for whom none has held yet. */
export async function askRuns(
  { tx, workspaceId, clock }: TurnContext,
  runs: readonly Run[],
  rules: readonly { if: RuleText }[],
): Promise<ReadonlyMap<Run, Answer>> {
  const now = momentOf(clock)
  const answers = new Map(runs.map((run): [Run, Answer] => [run, { n: undefined, holds: [] }]))
  for (const [n, { if: text }] of rules.entries()) {
    const open = runs.filter((run) => answers.get(run)!.n === undefined)
    const holding = await subjectsFor(tx, workspaceId, { text, subjects: open.map(subjectOf), now })
    for (const run of open) {
      const answer = answers.get(run)!
      answer.holds.push(holding.has(run.id))
      if (holding.has(run.id)) answer.n = n
    }
  }
  return answers
}

/** The ways out of a wait of those runs for whom what it asks for holds now. */
export async function askAtWait(
  context: TurnContext,
  node: WaitNode | DelayNode,
  runs: readonly Run[],
): Promise<ReadonlyMap<Run, Leaving>> {
  const asked = node.type === 'wait' ? node.for.flatMap((way, n) => (isAsked(way) ? [{ ...way, n }] : [])) : []
  if (asked.length === 0) return new Map()
  const answers = await askRuns(context, runs, asked)
  return new Map(
    [...answers].flatMap(([run, { n, holds }]): [Run, Leaving][] => {
      const way = n === undefined ? undefined : asked[n]
      return way ? [[run, { way: String(way.n), to: way.to, seen: { holds } }]] : []
    }),
  )
}

const subjectOf = ({ id, contactId, eventId, eventAt }: Run): Subject => ({
  id,
  runId: id,
  contactId,
  eventId,
  eventAt,
})
