import type { Micros } from '../run/model/model-run.ts'

/** Numbers by name. */
export type Counts = Record<string, number>

/** Everything that one definition has done with some people. */
export type Tally = {
  /** People who came in at least once, their entries, and who was refused by reason. */
  people: number
  entered: number
  refused: Counts
  /** Runs by their end (`completed`, `exited:goal`), and those that have none yet. */
  ended: Counts
  inside: number
  /** By node: how many came, and how many left or ended by each way. */
  cameTo: Counts
  left: Record<string, Counts>
  endedAt: Record<string, Counts>
  /** Mails not sent, by node and reason. */
  skipped: Record<string, Counts>
  /** Mails that had to wait, by what for, whatever became of them; and those that still do when the window ends. */
  held: Counts
  waiting: number
  mailsByNode: Counts
  /** How often the team would have been told, by node. */
  noticesByNode: Counts
  mailsByDay: Counts
  /** People by how many mails they got. */
  peopleByMails: Counts
  goals: number
  goalValue: number
  /** Decisions that rest on what is not known of then: all of them, by what that is, and the people concerned. */
  assumed: number
  assumedBy: Counts
  peopleAssumed: number
}

/** A run as it is shown. */
export type TracedRun = {
  contactId: string
  entryKey: string
  enteredAt: Micros
  end: string | null
  steps: { node: string; way: string; next: string | null; leftAt: Micros }[]
}

/** Runs that went the same way: how many, and the first of them. */
export type Path = { runs: number; example: TracedRun }

/** People by what a draft would have brought them beside the version in force. */
export const COMPARED = ['more', 'less', 'other', 'same'] as const
export type Compared = (typeof COMPARED)[number]
export type ComparedPerson = { contactId: string; draft: number; live: number }

/** All that is counted of some people; two of them make one. */
export type Tallied = {
  people: number
  events: number
  draft: Tally
  live: Tally | null
  paths: Record<string, Path>
  compared: Record<Compared, { people: number; examples: ComparedPerson[] }>
  /** Mails of other flows that reached those whom the draft mails: people, mails, and mails within a day of one of the draft's. */
  others: Record<string, { people: number; mails: number; withinDay: number }>
  /** People by the most mails they got within seven days, the draft's and those of others. */
  peopleByWeek: Counts
}

/** Ways that are kept apart: beyond these only those that are there already are counted. */
const PATHS_MAX = 2_000
export const EXAMPLES_MAX = 5

export const emptyTally = (): Tally => ({
  ...{ people: 0, entered: 0, refused: {}, ended: {}, inside: 0, cameTo: {}, left: {}, endedAt: {}, skipped: {} },
  ...{
    held: {},
    waiting: 0,
    mailsByNode: {},
    noticesByNode: {},
    mailsByDay: {},
    peopleByMails: {},
    goals: 0,
    goalValue: 0,
  },
  ...{ assumed: 0, assumedBy: {}, peopleAssumed: 0 },
})

export const emptyTallied = (hasLive: boolean): Tallied => ({
  ...{ people: 0, events: 0, draft: emptyTally(), live: hasLive ? emptyTally() : null, paths: {} },
  compared: comparedNobody(),
  ...{ others: {}, peopleByWeek: {} },
})

const comparedNobody = (): Tallied['compared'] => ({
  more: { people: 0, examples: [] },
  less: { people: 0, examples: [] },
  other: { people: 0, examples: [] },
  same: { people: 0, examples: [] },
})

export function count(counts: Counts, name: string, by = 1): void {
  counts[name] = (Object.hasOwn(counts, name) ? counts[name]! : 0) + by
}

export function countIn(counts: Record<string, Counts>, of: string, name: string): void {
  counts[of] ??= {}
  count(counts[of], name)
}

/** Adds what was counted of other people. */
export function addTallied(sum: Tallied, other: Tallied): void {
  sum.people += other.people
  sum.events += other.events
  addNumbers(sum.draft, other.draft)
  if (sum.live !== null && other.live !== null) addNumbers(sum.live, other.live)
  for (const [way, { runs, example }] of Object.entries(other.paths)) notePath(sum.paths, way, { runs, example })
  for (const of of COMPARED) {
    sum.compared[of].people += other.compared[of].people
    sum.compared[of].examples = [...sum.compared[of].examples, ...other.compared[of].examples].slice(0, EXAMPLES_MAX)
  }
  addNumbers(sum.others, other.others)
  addNumbers(sum.peopleByWeek, other.peopleByWeek)
}

export function notePath(paths: Record<string, Path>, way: string, path: Path): void {
  const known = Object.hasOwn(paths, way) ? paths[way] : undefined
  if (known) known.runs += path.runs
  else if (Object.keys(paths).length < PATHS_MAX) paths[way] = { ...path }
}

type Numbers = { [name: string]: number | Numbers }

/** Adds number to number, however deep they stand. */
function addNumbers(sum: object, other: object): void {
  const into = sum as Numbers
  for (const [name, value] of Object.entries(other as Numbers)) {
    if (typeof value === 'number') count(into as Counts, name, value)
    else {
      if (!Object.hasOwn(into, name)) into[name] = {}
      addNumbers(into[name] as Numbers, value)
    }
  }
}

/** The value of which `share` of all are at most as large; 0 of nobody. */
export function quantile(counts: Counts, share: number): number {
  const sorted = Object.entries(counts)
    .map(([value, people]) => [Number(value), people] as const)
    .sort(([one], [other]) => one - other)
  const all = sorted.reduce((sum, [, people]) => sum + people, 0)
  let seen = 0
  for (const [value, people] of sorted) {
    seen += people
    if (seen >= all * share) return value
  }
  return 0
}
