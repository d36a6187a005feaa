import type { Definition } from '../definition/definition.ts'
import { momentOf } from '../micros.ts'
import { NOT_REPLAYED, type NotReplayed, type SimulationReport } from './schemas.ts'
import { type Counts, quantile, type Tallied, type Tally } from './tally.ts'

const TRACES_MAX = 10
const OTHERS_MAX = 10
const ASSUMED_MAX = 20

/** The names of what else mails people, by `kind:id`. */
export type NamesOfOthers = ReadonlyMap<string, string>

/** The keys of others of which a report tells, the most mails first. */
export function othersTold({ others }: Tallied): string[] {
  return Object.entries(others)
    .sort(([, one], [, other]) => other.withinDay - one.withinDay || other.mails - one.mails)
    .slice(0, OTHERS_MAX)
    .map(([key]) => key)
}

/** The triggers of a draft that no event stands for. */
export const notReplayedOf = ({ enter }: Definition): NotReplayed[] =>
  NOT_REPLAYED.filter((kind) => enter.on.some((trigger) => kind in trigger))

export type Reported = {
  isPartial: boolean
  peopleCut: number
  notReplayed: readonly NotReplayed[]
  names: NamesOfOthers
}

/** The report of everything that was counted. */
export function reportOf(tallied: Tallied, { isPartial, peopleCut, notReplayed, names }: Reported): SimulationReport {
  const { draft, live, compared, paths, others, peopleByWeek } = tallied
  const told = Object.values(paths).sort((one, other) => other.runs - one.runs)
  return {
    ...{ isPartial: isPartial || peopleCut > 0, peopleCut, notReplayed: [...notReplayed] },
    draft: outcomeOf(draft),
    live: live === null ? null : outcomeOf(live),
    compared: live === null ? null : compared,
    others: othersTold(tallied).map((key) => {
      const [kind, id] = key.split(':') as ['broadcast' | 'automation', string]
      return { kind, id, name: names.get(key) ?? null, ...others[key]! }
    }),
    perWeek: spreadOf(peopleByWeek),
    traces: told.slice(0, TRACES_MAX).map(({ runs, example }) => ({
      ...{ runs, contactId: example.contactId, entryKey: example.entryKey, end: example.end },
      enteredAt: momentOf(BigInt(example.enteredAt)),
      steps: example.steps.map(({ leftAt, ...step }) => ({ ...step, leftAt: momentOf(BigInt(leftAt)) })),
    })),
  }
}

function outcomeOf(tally: Tally): SimulationReport['draft'] {
  const { people, entered, inside, goals, goalValue, mailsByDay, peopleByMails, assumedBy } = tally
  const mailed = Object.entries(peopleByMails).reduce((sum, [mails, n]) => sum + (mails === '0' ? 0 : n), 0)
  return {
    ...{ people, entered, inside, goals, goalValue },
    refused: listOf(tally.refused).map(([reason, count]) => ({ reason, count })),
    ended: listOf(tally.ended).map(([end, count]) => ({ end, count })),
    nodes: nodesOf(tally),
    mails: {
      total: Object.values(mailsByDay).reduce((sum, n) => sum + n, 0),
      people: mailed,
      days: Object.keys(mailsByDay)
        .sort()
        .map((day) => ({ day, count: mailsByDay[day]! })),
      perPerson: spreadOf(peopleByMails),
      held: listOf(tally.held).map(([reason, count]) => ({ reason, count })),
      waiting: tally.waiting,
    },
    assumed: {
      ...{ decisions: tally.assumed, people: tally.peopleAssumed },
      on: listOf(assumedBy)
        .slice(0, ASSUMED_MAX)
        .map(([what, count]) => ({ what, count })),
    },
  }
}

function nodesOf({
  cameTo,
  left,
  endedAt,
  skipped,
  mailsByNode,
  noticesByNode,
}: Tally): SimulationReport['draft']['nodes'] {
  const names = new Set([...Object.keys(cameTo), ...Object.keys(left), ...Object.keys(endedAt)])
  return [...names].sort().map((node) => ({
    node,
    entered: cameTo[node] ?? 0,
    mails: mailsByNode[node] ?? 0,
    notices: noticesByNode[node] ?? 0,
    ways: listOf(mergedOf(left[node], endedAt[node])).map(([way, count]) => ({ way, count })),
    skipped: listOf(skipped[node] ?? {}).map(([reason, count]) => ({ reason, count })),
  }))
}

function mergedOf(one: Counts = {}, other: Counts = {}): Counts {
  const all = { ...one }
  for (const [name, n] of Object.entries(other)) all[name] = (all[name] ?? 0) + n
  return all
}

/** The largest first. */
function listOf(counts: Counts): [string, number][] {
  return Object.entries(counts).sort(([, one], [, other]) => other - one)
}

const spreadOf = (counts: Counts) => ({
  ...{ p50: quantile(counts, 0.5), p95: quantile(counts, 0.95) },
  max: Math.max(0, ...Object.keys(counts).map(Number)),
})
