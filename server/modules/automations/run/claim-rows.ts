import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { HEEDED_IN_PAUSE } from '../definition/listens.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { AUTOMATION_GATE } from '../gate.ts'
import { RUN_LANES, type RunTurn } from '../run-lanes.ts'
import { TIMER_POSITION } from './run-state.ts'

/** Rows of one transaction, which holds the log back from its readers for some 150 ms: with twice as many, no row costs less. */
export const ROWS_MAX = 1_000

export type QueueRow = {
  contactId: string
  runId: string
  kind: 'entry' | 'timer' | 'exit' | 'goal' | 'wait' | 'zone' | 'move'
  position: string
  visit: number
  dueAt: string
  looks: boolean
  version: number
  way: number
  depth: number
  /** Of an entry without an event: what tells entries of one contact apart. */
  entryKey: string | null
}

export type AutomationState = {
  name: string
  current: number | null
  isPaused: boolean
  isStopped: boolean
  resumedAt: string | null
  pauses: number
  haltedNodes: string[]
  mailFrom: string | null
}

/**
 * Holds the lane and the automation until the transaction ends: no other turn, and nobody who changes the automation, works
 * beside it. Undefined when the turn is not the lane's any more, or the automation is gone.
 */
export async function holdAutomation(tx: Transaction, turn: RunTurn): Promise<AutomationState | undefined> {
  const { workspaceId, automationId, slot } = turn
  const [, held, found] = await Promise.all([
    AUTOMATION_GATE.pass(tx, workspaceId, [automationId]),
    tx.query({
      name: 'hold_run_lane',
      text: `${RUN_LANES.held} for key share`,
      values: [workspaceId, automationId, slot, turn.turn],
    }),
    tx.query<AutomationState>({
      name: 'hold_automation',
      text: `select name, published_version as current, paused_at is not null as "isPaused",
          stopped_at is not null as "isStopped", resumed_at as "resumedAt", pauses,
          halted_nodes as "haltedNodes", mail_from as "mailFrom"
        from automations where workspace_id = $1 and id = $2 for share`,
      values: [workspaceId, automationId],
    }),
  ])
  return held.rowCount === 0 ? undefined : found.rows[0]
}

/** `passing`: contacts that are passed over. */
export type Due = { through: string; isPaused: boolean; limit: number; passing?: readonly string[] }

/**
 * Rows that are due by `through`, in their order. Of a paused automation only exits and goals. Where the limit cuts the rows of
 * one event in two, all of these: which of them comes first is not in the index.
 */
export async function dueRows(
  tx: Transaction,
  { workspaceId, automationId, slot }: RunTurn,
  { through, isPaused, limit, passing = [] }: Due,
): Promise<QueueRow[]> {
  const kinds = isPaused ? `and ${HEEDED_IN_PAUSE}` : ''
  const suffix = isPaused ? '_of_paused' : ''
  const { rows } = await tx.query<QueueRow>({
    name: `due_rows${suffix}`,
    text: `select ${ROW} from run_queue where workspace_id = $1 and automation_id = $2 and slot = $3 and due_at <= $4
        and contact_id <> all ($6::int8[]) ${kinds}
      order by due_at, position limit $5`,
    values: [workspaceId, automationId, slot, through, limit, int8Array(passing)],
  })
  const last = rows.at(-1)
  if (rows.length < limit || !last || !isOfEvent(last) || !rows.every((row) => isLevel(row, last))) return rows
  const { rows: level } = await tx.query<QueueRow>({
    name: `level_rows${suffix}`,
    text: `select ${ROW} from run_queue where workspace_id = $1 and automation_id = $2 and slot = $3 and due_at = $4
        and position = $5 and contact_id <> all ($6::int8[]) ${kinds}`,
    values: [workspaceId, automationId, slot, last.dueAt, last.position, int8Array(passing)],
  })
  return level
}

const ROW = `contact_id as "contactId", run_id as "runId", kind, position, visit, due_at as "dueAt", looks, version, way, depth,
  entry_key as "entryKey"`

/** Of the log, and so of one contact: neither a timer nor what somebody did by hand. */
const isOfEvent = ({ position }: QueueRow) => position !== TIMER_POSITION && BigInt(position) > 0n

/** Contacts of a lane of whom there still is a run, or something in the queue; of a stopped automation they all leave. */
export async function contactsInside(
  tx: Transaction,
  { workspaceId, automationId, slot }: RunTurn,
  { limit, passing = [] }: { limit: number; passing?: readonly string[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'contacts_inside',
    text: `select distinct contact_id as id from (
        (select contact_id from run_queue where workspace_id = $1 and automation_id = $2 and slot = $3
          and contact_id <> all ($5::int8[]) order by due_at, position limit $4)
        union all
        (select contact_id from runs where workspace_id = $1 and automation_id = $2 and state = 'parked'
          and contact_id % ${RUN_SLOTS} = $3 and contact_id <> all ($5::int8[]) order by id limit $4)) inside
      order by 1 limit $4`,
    values: [workspaceId, automationId, slot, limit, int8Array(passing)],
  })
  return rows.map(({ id }) => id)
}

/** Takes what is queued of contacts out: nobody is inside any more. */
export async function emptyQueue(
  tx: Transaction,
  { workspaceId, automationId }: RunTurn,
  contactIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'empty_run_queue',
    text: 'delete from run_queue where workspace_id = $1 and automation_id = $2 and contact_id = any ($3::int8[])',
    values: [workspaceId, automationId, int8Array(contactIds)],
  })
}

/**
 * At one moment and position a goal is counted before the same event ends the run, and that before it begins another. A timer
 * that ends at the moment of publishing does so in the old version.
 */
const ORDER: readonly QueueRow['kind'][] = ['goal', 'exit', 'wait', 'zone', 'entry', 'timer', 'move']

const isLevel = (one: QueueRow, other: QueueRow) => one.dueAt === other.dueAt && one.position === other.position

/**
 * The first row of each contact: what is left of it is decided once that is done. `isCut`: there are more rows, perhaps
 * level with the last ones, which are left out therefore.
 */
export function firstOfEach(rows: readonly QueueRow[], isCut: boolean): QueueRow[] {
  const first = new Map<string, QueueRow>()
  for (const row of isCut ? withoutLast(rows) : rows) {
    const known = first.get(row.contactId)
    if (!known || (isLevel(known, row) && isBefore(row, known))) first.set(row.contactId, row)
  }
  return [...first.values()]
}

/** Of two level rows of one sort that of the run which began first. */
function isBefore(one: QueueRow, other: QueueRow): boolean {
  const order = ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind)
  return order < 0 || (order === 0 && BigInt(one.runId) < BigInt(other.runId))
}

/** An event's rows are those of one contact, so a claim never consists of them alone. */
function withoutLast(rows: readonly QueueRow[]): readonly QueueRow[] {
  const last = rows.at(-1)
  if (!last) return rows
  const whole = rows.filter((row) => !isLevel(row, last))
  return whole.length === 0 ? rows : whole
}
