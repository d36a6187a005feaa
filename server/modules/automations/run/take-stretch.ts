import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { holdContacts } from '../../contacts/hold-contacts.ts'
import { ALL_RUNS } from '../definition/listens.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { microsOf } from '../micros.ts'
import type { RunTurn } from '../run-lanes.ts'
import {
  type AutomationState,
  contactsInside,
  dueRows,
  emptyQueue,
  firstOfEach,
  holdAutomation,
  type QueueRow,
  ROWS_MAX,
} from './claim-rows.ts'
import { enter } from './enter.ts'
import { hear } from './hear.ts'
import { loadRuns } from './load-runs.ts'
import { look } from './look.ts'
import { followSurvivors } from './move-runs.ts'
import { putOffRests } from './put-off.ts'
import { zoneOf } from './rest.ts'
import type { Run } from './run-state.ts'
import { exit, type TurnContext } from './turn-context.ts'
import { type Trail, walk } from './walk.ts'
import { writeTurn } from './write-turn.ts'

/** How far the log was read, and the clock, before the transaction began. */
export type Times = { clock: string; through: string }

/** `rows`: those that were due. */
export type Taken = { rows: number; isPaused: boolean }

/** `passing`: contacts that are passed over. */
export type Stretch = { times: Times; limit?: number; passing?: readonly string[]; trail?: Trail }

/**
 * One transaction of a turn: takes what is due, of each contact the first, and does all that follows from it, up to where
 * each run waits again. Either all of it is committed, or nothing happened.
 */
export async function takeStretch(
  pool: pg.Pool,
  turn: RunTurn,
  { times, limit = ROWS_MAX, passing = [], trail = {} }: Stretch,
): Promise<Taken> {
  const taken = await inTransaction(pool, turn.workspaceId, async (tx) => {
    const state = await holdAutomation(tx, turn)
    if (!state) return { rows: 0, isPaused: false }
    const { isPaused } = state
    if (state.isStopped)
      return { rows: await letGo(tx, turn, { name: state.name, times, limit, passing, trail }), isPaused: false }
    const rows = await dueRows(tx, turn, { through: times.through, isPaused, limit, passing })
    trail.taken = rows.length
    if (rows.length > 0) await doRows(tx, turn, { state, rows: firstOfEach(rows, rows.length >= limit), times, trail })
    crashPoint('runs_before_commit')
    return { rows: rows.length, isPaused }
  })
  crashPoint('runs_after_commit')
  return taken
}

/** Ends the runs of a stopped automation where they stand, some contacts at a time. */
async function letGo(
  tx: Transaction,
  turn: RunTurn,
  { name, times, limit, passing, trail }: Required<Stretch> & { name: string },
): Promise<number> {
  const ids = await contactsInside(tx, turn, { limit, passing })
  trail.taken = ids.length
  if (ids.length === 0) return 0
  const { workspaceId, automationId } = turn
  await holdContacts(tx, workspaceId, ids)
  const runs = [...(await loadRuns(tx, turn, ids)).values()]
  const clock = microsOf(times.clock)
  const context: TurnContext = {
    ...{ tx, workspaceId, automationId, name, current: null, definitions: new Map(), clock, pauses: 0 },
    ...{ halted: new Set<string>(), mailFrom: null },
    ...{ steps: [], notices: [], mails: 0, moved: new Map(), woken: [] },
  }
  for (const run of runs) exit(context, run, { reason: 'stopped' })
  await writeTurn(context, { runs, done: [] })
  await emptyQueue(tx, turn, ids)
  return ids.length
}

type Doing = { state: AutomationState; rows: readonly QueueRow[]; times: Times; trail: Trail }

async function doRows(tx: Transaction, turn: RunTurn, { state, rows, times, trail }: Doing): Promise<void> {
  const { workspaceId, automationId } = turn
  const ids = rows.map(({ contactId }) => contactId)
  const held = await holdContacts(tx, workspaceId, ids)
  const contacts = new Map(held.map(({ id, timeZone }) => [id, timeZone]))
  const gone = ids.filter((id) => !contacts.has(id))
  const woken = await followSurvivors(tx, turn, gone)
  const runs = await loadRuns(tx, turn, ids)
  trail.hears = rows[0]!.kind !== 'timer'
  trail.from = runs.get(rows[0]!.runId)?.visit ?? 0
  trail.takenFor = Object.fromEntries(rows.map(({ contactId, dueAt }) => [contactId, microsOf(dueAt)]))
  const led = rows.flatMap(({ kind, version }) => (kind === 'move' ? [version] : []))
  const versions = [...[...runs.values()].map(({ version }) => version), ...led]
  const definitions = await loadDefinitions(tx, turn, state.current === null ? versions : [...versions, state.current])
  for (const run of runs.values()) run.zone = zoneOf(contacts.get(run.contactId), definitions.get(run.version)!)
  const context: TurnContext = {
    ...{ tx, workspaceId, automationId, definitions, name: state.name, current: state.current },
    ...{ halted: new Set(state.haltedNodes), mailFrom: state.mailFrom === null ? null : microsOf(state.mailFrom) },
    ...{
      pauses: state.pauses,
      clock: microsOf(times.clock),
      steps: [],
      notices: [],
      mails: 0,
      moved: new Map(),
      woken,
    },
  }
  const looking = rows.filter(({ kind, looks }) => kind === 'timer' && looks)
  const runsOf = ({ runId, contactId, dueAt }: QueueRow): Run[] => {
    if (runId !== ALL_RUNS) return [runs.get(runId)].filter((run) => run !== undefined)
    return [...runs.values()].filter((run) => run.contactId === contactId && run.enteredAt <= microsOf(dueAt))
  }
  const lookers = looking.flatMap(runsOf)
  const heeding = rows.flatMap(runsOf)
  // In a pause nobody is put off: who is heeded then may have a look outstanding, and the next turn does both.
  if (!state.isPaused) await putOffRests(context, heeding)
  await look(context, lookers)
  const { made, ended } = await enter(context, {
    ...{ rows: rows.filter(({ kind }) => kind === 'entry'), runs, contacts },
    resumedAt: state.resumedAt === null ? null : microsOf(state.resumedAt),
  })
  const heard = rows
    .filter((row) => row.kind !== 'entry' && !row.looks)
    .flatMap((row) => runsOf(row).map((run) => ({ row, run })))
  await hear(context, { heard, contacts })
  const touched = new Set([...lookers, ...made, ...ended, ...heard.map(({ run }) => run)])
  // In a pause a goal is noted of somebody who is under way as well, and they stay where they are.
  // Runs that looked go on in the next stretch, once what was found is there to be heeded.
  const going = [...touched].filter((run) => !lookers.includes(run))
  if (!state.isPaused) await walk(context, going, trail)
  await writeTurn(context, { runs: [...touched], done: rows })
}
