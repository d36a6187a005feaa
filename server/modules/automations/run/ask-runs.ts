import { isAsked, type RuleText, type WaitNode } from '../definition/definition.ts'
import { type Micros, momentOf } from '../micros.ts'
import { type Moments, momentsAt } from './dates-of-runs.ts'
import { type Subject, subjectsFor } from './judge-rules.ts'
import type { Run } from './run-state.ts'
import type { Leaving, TurnContext } from './turn-context.ts'
import { type ValuesAsked, valuesAsked } from './values-asked.ts'

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

/** `open`: the first way out of a wait whose rule holds now, or whose moment has come. */
export type AtWait = { open: Leaving | undefined; moments: Moments }

/** Asks runs at a wait as of a moment of each: which way is open to them, and when its dates are. */
export async function askAtWait(
  context: TurnContext,
  { node, runs, asOf }: { node: WaitNode; runs: readonly Run[]; asOf: (run: Run) => Micros },
): Promise<ReadonlyMap<Run, AtWait>> {
  const asked = node.for.flatMap((way, n) => (isAsked(way) ? [{ ...way, n }] : []))
  const answers = await askRuns(context, runs, asked)
  const moments = await momentsAt(context.tx, context.workspaceId, { node, people: runs })
  const holding = runs.filter((run) => answers.get(run)!.n !== undefined)
  const values = await seenBy(context, holding, asked)
  return new Map(
    runs.map((run): [Run, AtWait] => {
      const { n, holds } = answers.get(run)!
      const own = moments.get(run) ?? []
      const seen = { holds, ...values.get(run) }
      const rule = n === undefined ? undefined : { n: asked[n]!.n, to: asked[n]!.to, seen }
      const come = own.flatMap(({ n: at, way: { to, date }, at: moment }) =>
        moment <= asOf(run) ? [{ n: at, to, seen: { date, moment: momentOf(moment) } }] : [],
      )
      const [first] = [...come, ...(rule ? [rule] : [])].sort((one, other) => one.n - other.n)
      return [run, { open: first && { way: String(first.n), to: first.to, seen: first.seen }, moments: own }]
    }),
  )
}

/** The values by which rules were decided, for the trace; of those alone who have been asked for any. */
export async function seenBy(
  { tx, workspaceId }: TurnContext,
  runs: readonly Run[],
  rules: readonly { if: RuleText }[],
): Promise<ReadonlyMap<Run, { values: ValuesAsked }>> {
  const found = await valuesAsked(tx, workspaceId, { of: runs, rules: rules.map(({ if: text }) => text) })
  return new Map([...found].map(([run, values]) => [run, { values }]))
}

const subjectOf = ({ id, contactId, eventId, eventAt, variables }: Run): Subject => ({
  id,
  runId: id,
  contactId,
  eventId,
  eventAt,
  variables,
})
