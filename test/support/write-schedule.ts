import pg from 'pg'
import { appendRecordedEventsStatement } from '../../server/modules/events/queries.ts'

/** One statement of a writer, in the driver's form. */
type Statement = string | pg.QueryConfig

/** A writer's transaction: its statements in order, and the labels of the events that are there after it. */
export type Writer = { statements: Statement[]; kept: string[]; dropped: string[] }

/** The next step: a writer's next statement, or a wait until every reader has looked at the log once more. */
export type Turn = { writer: number } | 'look'

/** Several transactions and the one order in which their statements reach the database. */
export type Schedule = { writers: Writer[]; turns: Turn[]; foreign: boolean }

const WRITERS_MAX = 8
const LOOK_SHARE = 0.08
const FOREIGN_SHARE = 0.05

export const WRITER_CONNECTIONS = WRITERS_MAX

/** A schedule of 2 to 8 writers whose statements are mixed at random. `label` marks its events. */
export function randomSchedule(random: () => number, label: string): Schedule {
  const count = 2 + Math.floor(random() * (WRITERS_MAX - 1))
  const writers = Array.from({ length: count }, (_, index) => randomWriter(random, `${label}.w${index}`))
  const left = writers.map((writer) => writer.statements.length)
  const turns: Turn[] = []
  while (left.some((statements) => statements > 0)) {
    const open = left.flatMap((statements, writer) => (statements > 0 ? [writer] : []))
    const writer = open[Math.floor(random() * open.length)]!
    left[writer]!--
    turns.push({ writer })
    if (random() < LOOK_SHARE) turns.push('look')
  }
  return { writers, turns, foreign: random() < FOREIGN_SHARE }
}

/** Begins late or early, draws positions before its first write or not, uses savepoints, and commits or does not. */
function randomWriter(random: () => number, label: string): Writer {
  const chance = (share: number) => random() < share
  const writer: Writer = { statements: [], kept: [], dropped: [] }
  let events = 0
  const labels = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => `${label}.e${events++}`)
  const draws = chance(0.3)
  if (draws && chance(0.5)) writer.statements.push(DRAW)
  writer.statements.push(chance(0.3) ? TAKE_XID : 'begin')
  if (draws) writer.statements.push(DRAW)
  const inserts = 1 + Math.floor(random() * 3)
  for (let insert = 0; insert < inserts; insert++) {
    const names = labels()
    const nested = chance(0.25)
    if (nested) writer.statements.push('savepoint s')
    writer.statements.push(
      draws && insert === 0 ? insertDrawn(names) : chance(0.3) ? intake(names) : insertPlain(names),
    )
    const undone = nested && chance(0.5)
    if (nested) writer.statements.push(undone ? 'rollback to savepoint s' : 'release savepoint s')
    ;(undone ? writer.dropped : writer.kept).push(...names)
  }
  if (chance(0.25)) {
    writer.dropped.push(...writer.kept.splice(0))
    writer.statements.push('rollback')
  } else {
    writer.statements.push('commit')
  }
  return writer
}

/**
 * Every order of a small model: 3 writers, each with begin, its inserts, commit. A begin that writes (the usual case:
 * state before event) takes the transaction's id early, as here. Orders that differ only in who is called what are one.
 */
export function* allOrders(inserts: number, writers = 3): Generator<number[]> {
  const statements = inserts + 2
  const left = Array<number>(writers).fill(statements)
  const order: number[] = []
  function* extend(): Generator<number[]> {
    if (order.length === writers * statements) yield [...order]
    for (let writer = 0; writer < writers; writer++) {
      if (left[writer] === 0) continue
      const first = left[writer] === statements
      if (first && writer > 0 && left[writer - 1] === statements) continue
      left[writer]!--
      order.push(writer)
      yield* extend()
      order.pop()
      left[writer]!++
    }
  }
  yield* extend()
}

/** One order of the small model as a schedule; readers look after each commit but the last. */
export function modelSchedule(order: readonly number[], label: string): Schedule {
  const count = 1 + Math.max(...order)
  const last = order.length / count - 1
  const writers = Array.from({ length: count }, (_, index): Writer => {
    const kept = Array.from({ length: last - 1 }, (_event, event) => `${label}.w${index}.e${event}`)
    return { statements: [], kept, dropped: [] }
  })
  const turns: Turn[] = []
  const done = writers.map(() => 0)
  let before: number | undefined
  for (const index of order) {
    const { statements, kept } = writers[index]!
    const at = done[index]!++
    const statement = at === 0 ? TAKE_XID : at === last ? 'commit' : insertPlain([kept[at - 1]!])
    // Statements of one writer without another's in between travel as one.
    if (index === before) statements.push(`${statements.pop()}; ${statement}`)
    else turns.push({ writer: index }) && statements.push(statement)
    before = index
    if (at === last && done.some((statements) => statements <= last)) turns.push('look')
  }
  return { writers, turns, foreign: false }
}

export type Stage = {
  connections: readonly pg.Client[]
  foreign?: pg.Client
  look: () => Promise<unknown>
  onWrite: () => void
}

/** Runs a schedule, statement by statement, each writer on a connection of its own. */
export async function runSchedule(stage: Stage, schedule: Schedule): Promise<void> {
  const done = schedule.writers.map(() => 0)
  if (schedule.foreign) await stage.foreign?.query(TAKE_XID)
  for (const turn of schedule.turns) {
    if (turn === 'look') {
      await stage.look()
      continue
    }
    const { writer } = turn
    await stage.connections[writer]!.query(schedule.writers[writer]!.statements[done[writer]!++] as string)
    stage.onWrite()
  }
  if (schedule.foreign) await stage.foreign?.query('rollback')
}

/** A transaction id taken before anything is written to the log. */
const TAKE_XID = 'begin; select pg_current_xact_id()'
/** A position drawn now and used later, behind others that were drawn after it. */
const DRAW = `select set_config('postroom.drawn', nextval('outbox_position')::text, false)`

const COLUMNS = 'workspace_id, type, name, subject, data, occurred_at'
const values = (names: readonly string[]) =>
  names.map((name) => `1, 'event.recorded', 'schedule', '${name}', '{}'::json, now()`)

function insertPlain(names: readonly string[]): string {
  return `insert into outbox (${COLUMNS}) values ${values(names).map((row) => `(${row})`)}`
}

function insertDrawn(names: readonly string[]): string {
  const [first, ...others] = values(names)
  const drawn = `(current_setting('postroom.drawn')::bigint, ${first})`
  const rest = others.map((row) => `, (nextval('outbox_position'), ${row})`).join('')
  return `insert into outbox (position, ${COLUMNS}) values ${drawn}${rest}`
}

/** The statement of POST /events itself. */
function intake(names: readonly string[]): pg.QueryConfig {
  const events = names.map((subjectId) => ({
    clientId: null,
    action: 'schedule',
    subjectId,
    email: null,
    phone: null,
    properties: '{}',
    occurredAt: null,
  }))
  return appendRecordedEventsStatement([{ workspaceId: '1', events }])
}

export async function connect(url: string, count: number): Promise<pg.Client[]> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  return clients
}
