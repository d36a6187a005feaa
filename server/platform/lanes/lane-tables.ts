import type { Transaction } from '../db/transaction.ts'
import { IS_HELD } from '../epoch/held.ts'
import type { JobKind } from '../jobs/job-kind.ts'

/** The key of a lane: decimal ids, small numbers for slots. */
export type LaneKey = { readonly workspaceId: string }

/** SQL by field: a column, or an expression. */
export type Columns<T> = { readonly [Field in keyof T]: string }

/** Why claims go back: their turn is gone without a word, or it ends and has not begun with them. */
export type BackBecause = 'lost' | 'unsent'

/**
 * Where the lanes of one sort of work stand, and what waits for them. In the fragments `l` is a lane's row and `q` a
 * queued one. The queue names the columns of the lane's key as the lanes do, and has `due_at` and `turn`, null while a row
 * waits. Neither table may ever be analysed (docs/adr/0005).
 */
export type LaneTables<L extends LaneKey, T, B> = {
  /** Names the statements and the crash points. */
  name: string
  /** Its table has `state`, `job_id`, `wake_at` and `turn` beside the key. */
  lanes: string
  key: Columns<L>
  /** Whether a lane may be worked on. Nobody calls for a turn of one that is closed. */
  isOpen: string
  /** Said of a lane to whoever makes its jobs or runs its turns. */
  told: Columns<T>
  queue: {
    table: string
    /** The part of the key by which rows wait: lanes that have it in common share them. */
    sharedBy: readonly (keyof L & string)[]
    /** Assignments that take a claim back, beside those of `turn` and of the key's other part. */
    back: string
    /** Claims that do not go back, whoever had them: somebody outside may have what they are about. */
    stays?: string
    /** Said of a claim that its turn has no more. */
    backTold: Columns<B>
  }
  /** In the transaction in which claims go back, for all of them; those that stay are the module's to settle. */
  onBack(
    tx: Transaction,
    turn: Turn<L, T>,
    claims: readonly (B & { stays: boolean })[],
    because: BackBecause,
  ): Promise<void>
  /** The kind of its turns' jobs, and how important this one is. */
  jobOf(lane: L & T): { kind: JobKind<L>; priority?: number }
}

/** A turn that has begun. Claims and records in its name count while the lane has its number. */
export type Turn<L, T> = L & T & { jobId: string; turn: string }

export type Lanes<L extends LaneKey, T, B> = LaneTables<L, T, B> & {
  /** Fields of the key, in the order in which statements take their values, from $1 on. */
  fields: readonly (keyof L & string)[]
  /**
   * `select from` the lane if the turn still has it and the installation is not held: $1 and so on are the key, the next one is the turn. A claim reads it
   * `for key share`, so that it and the beginning of the next turn wait for each other.
   */
  held: string
  statements: LaneStatements
}

export type LaneStatements = Record<
  'hold' | 'wake' | 'begin' | 'giveBackOlder' | 'giveBackOwn' | 'lock' | 'nextDue' | 'end',
  { name: string; text: string }
>

/** Writes the machine's statements for these tables. */
export function defineLanes<L extends LaneKey, T, B>(tables: LaneTables<L, T, B>): Lanes<L, T, B> {
  const fields = Object.keys(tables.key) as (keyof L & string)[]
  const turn = `$${fields.length + 1}`
  const of = tables as unknown as Fragments
  const held = `select from ${of.lanes} l where ${isLane(of, 'l')} and l.turn = ${turn} and l.state = 'running'
    and not ${IS_HELD}`
  return { ...tables, fields, held, statements: { ...waking(of), ...turning(of), ...givingBack(of) } }
}

/** The tables as the statements' writer sees them: names and fragments. */
type Fragments = Pick<LaneTables<LaneKey, unknown, unknown>, 'name' | 'lanes' | 'isOpen'> & {
  key: Record<string, string>
  told: Record<string, string>
  queue: { table: string; sharedBy: readonly string[]; back: string; stays?: string; backTold: Record<string, string> }
}

const columnsOf = ({ key }: Fragments): string[] => Object.values(key)
const selected = (columns: Record<string, string>): string[] =>
  Object.entries(columns).map(([field, column]) => `${column} as "${field}"`)

/** Whether a row is the lane's: its key is $1 and so on. */
function isLane(tables: Fragments, row: string, fields: readonly string[] = Object.keys(tables.key)): string {
  return Object.entries(tables.key)
    .flatMap(([field, column], n) => (fields.includes(field) ? `${row}.${column} = $${n + 1}` : []))
    .join(' and ')
}

/** The fields of lane `l` that a job or a turn is told. */
function laneOf(tables: Fragments): string {
  const key = Object.fromEntries(Object.entries(tables.key).map(([field, column]) => [field, `l.${column}`]))
  return [...selected(key), 'l.job_id as "jobId"', ...selected(tables.told)].join(', ')
}

function waking(tables: Fragments): Pick<LaneStatements, 'hold' | 'wake'> {
  const { name, lanes, isOpen } = tables
  const columns = columnsOf(tables)
  const wanted = `unnest(${columns.map((_, n) => `$${n + 1}::int8[]`).join(', ')}) as wanted(${columns.join(', ')})`
  const key = columns.map((column) => `l.${column}`).join(', ')
  return {
    hold: {
      name: `hold_${name}_lanes`,
      text: `select from ${lanes} l join ${wanted} using (${columns.join(', ')}) order by ${key} for key share of l`,
    },
    // In order, so that two that wake the same lanes do not wait for each other in a circle. By key, not by place: a lane
    // whose other columns have changed since is a row that this statement's snapshot does not know the place of.
    // By the clock: a transaction that began before another one's wake would take its moment for one to come.
    wake: {
      name: `wake_${name}_lanes`,
      text: `with callable as materialized (
          select ${key} from ${lanes} l join ${wanted} using (${columns.join(', ')})
          where (l.state = 'idle' or (l.state = 'waiting' and l.wake_at > clock_timestamp())) and ${isOpen}
          order by ${key} for no key update of l
        )
        update ${lanes} l set state = 'waiting', job_id = gen_random_uuid(), wake_at = now()
        from callable c where ${columns.map((column) => `l.${column} = c.${column}`).join(' and ')}
        returning ${laneOf(tables)}`,
    },
  }
}

function turning(tables: Fragments): Pick<LaneStatements, 'begin' | 'lock' | 'nextDue' | 'end'> {
  const { name, lanes, isOpen, queue } = tables
  const columns = columnsOf(tables)
  const next = columns.length + 1
  const waits = `${isLane(tables, 'q', queue.sharedBy)}`
  return {
    // The stronger lock waits for claims of the turn before, so that what goes back is all of them.
    begin: {
      name: `begin_${name}_turn`,
      text: `with called as materialized (
          select ${columns.join(', ')}, state from ${lanes} l where ${isLane(tables, 'l')} and l.job_id = $${next} for update
        )
        update ${lanes} l set turn = l.turn + 1, state = 'running'
        from called where ${columns.map((column) => `l.${column} = called.${column}`).join(' and ')}
        returning ${laneOf(tables)}, l.turn, called.state = 'running' as "wasRunning"`,
    },
    lock: {
      name: `lock_${name}_turn`,
      text: `select ${laneOf(tables)}, l.turn = $${next} and l.state = 'running' as "isHeld"
        from ${lanes} l where ${isLane(tables, 'l')} for update of l`,
    },
    nextDue: {
      name: `next_due_of_${name}_lane`,
      text: `select head.due_at as "dueAt", head.due_at <= clock_timestamp() as "dueNow", lane.is_open as "isOpen",
          not exists (select from ${queue.table} q where ${waits}) as "isEmpty",
          ${queue.stays === undefined ? 'false' : `exists (select from ${queue.table} q where ${isLane(tables, 'q')} and q.turn is not null)`} as "hasOwn"
        from (select ${isOpen} as is_open from ${lanes} l where ${isLane(tables, 'l')}) lane
        left join lateral (
          select q.due_at from ${queue.table} q where ${waits} and q.turn is null order by q.due_at limit 1) head on is_open`,
    },
    end: {
      name: `end_${name}_turn`,
      text: `update ${lanes} l set wake_at = next.at, state = case when next.at is null then 'idle' else 'waiting' end,
          job_id = case when next.at is null then null else gen_random_uuid() end
        from (select greatest($${next + 1}::timestamptz, now() + $${next + 2}::float8 * interval '1 millisecond') as at) next
        where ${isLane(tables, 'l')} and l.turn = $${next}
        returning l.job_id as "jobId", l.wake_at as "wakeAt"`,
    },
  }
}

/** The column that names what a claim is of; claims are locked in its order. */
const idOf = (queue: Fragments['queue']) => Object.values(queue.backTold)[0]

/**
 * The places of claims hold: whoever changes one and leaves it its turn holds the lane before, and so is waited for by the
 * turn's beginning or end, or makes it one that stays, which is not addressed.
 */
function givingBack(tables: Fragments): Pick<LaneStatements, 'giveBackOlder' | 'giveBackOwn'> {
  const { name, key, queue } = tables
  const claimer = Object.entries(key).flatMap(([field, column]) =>
    queue.sharedBy.includes(field) ? [] : [`${column} = null`],
  )
  const text = (isTurns: string) => `with claimed as materialized (
      select q.ctid as row, ${queue.stays ?? 'false'} as stays, ${selected(queue.backTold).join(', ')}
      from ${queue.table} q where ${isLane(tables, 'q')} and q.turn ${isTurns}
      order by ${idOf(queue)} for update
    ), back as (
      update ${queue.table} q set ${['turn = null', ...claimer, queue.back].join(', ')}
      from claimed c where q.ctid = c.row and not c.stays
    )
    select stays, ${Object.keys(queue.backTold)
      .map((field) => `"${field}"`)
      .join(', ')} from claimed`
  const turn = `$${columnsOf(tables).length + 1}`
  return {
    giveBackOlder: { name: `give_back_older_${name}_claims`, text: text(`< ${turn}`) },
    giveBackOwn: { name: `give_back_own_${name}_claims`, text: text(`= ${turn}`) },
  }
}
