import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../db/transaction.ts'
import { jobKind } from '../jobs/job-kind.ts'
import { jobsDatabase, QUEUE } from '../jobs/testing.ts'
import { defineLanes, type Turn } from './lane-tables.ts'
import type { Turns } from './run-turn.ts'
import type { TurnWork } from './turn-run.ts'
import { beginTurn, endTurn } from './turns.ts'
import { wakeLanes } from './wake-lanes.ts'

/** Errands of customers: the tests' own work. A customer has two lanes, which share what waits. */
const TABLES = `
  create table customers (
    workspace_id bigint, id bigint, is_open boolean not null default true, primary key (workspace_id, id));
  create table errand_lanes (
    workspace_id bigint, customer_id bigint, slot smallint,
    state text not null default 'idle', job_id uuid, wake_at timestamptz, turn bigint not null default 0,
    primary key (workspace_id, customer_id, slot), check ((state = 'idle') = (job_id is null)));
  create table errands (
    workspace_id bigint, customer_id bigint, id bigint generated always as identity,
    due_at timestamptz not null default now(), slot smallint, turn bigint, attempt int not null default 0,
    begun boolean not null default false, primary key (workspace_id, id));
  create index errands_due on errands (workspace_id, customer_id, due_at, id);
  -- The world outside: it keeps what was done, whoever did it.
  create table done (id bigint, turn bigint);
  create table lost (id bigint, attempt int, stays boolean, because text)`

export type Lane = { workspaceId: string; customerId: string; slot: number }
export type Claim = { lane: Lane; turn: string; id: string }

export const RUN_ERRANDS = jobKind<Lane>({
  kind: 'run_errands',
  queue: QUEUE,
  groupKey: ({ workspaceId }) => workspaceId,
})

export const ERRANDS = defineLanes<Lane, { isOpen: boolean }, { id: string; attempt: number }>({
  name: 'errand',
  lanes: 'errand_lanes',
  key: { workspaceId: 'workspace_id', customerId: 'customer_id', slot: 'slot' },
  isOpen:
    'exists (select from customers c where c.workspace_id = l.workspace_id and c.id = l.customer_id and c.is_open)',
  told: { isOpen: '(select is_open from customers c where c.workspace_id = l.workspace_id and c.id = l.customer_id)' },
  queue: {
    table: 'errands',
    sharedBy: ['workspaceId', 'customerId'],
    back: 'attempt = q.attempt - 1',
    stays: 'q.begun',
    backTold: { id: 'q.id', attempt: 'q.attempt' },
  },
  async onBack(tx, turn, claims, because) {
    for (const { id, attempt, stays } of claims) {
      await tx.query('insert into lost values ($1, $2, $3, $4)', [id, attempt, stays, because])
      if (stays && because === 'lost')
        await tx.query('delete from errands where id = $1 and turn < $2', [id, turn.turn])
    }
  },
  jobOf: () => ({ kind: RUN_ERRANDS }),
})

export async function createErrandTables(pool: pg.Pool): Promise<void> {
  await pool.query(TABLES)
}

/** For a file's top level: a database with the tests' tables, and the steps of the protocol as a test takes them. */
export async function errandBench() {
  const { pool, url } = await jobsDatabase()
  await createErrandTables(pool)
  let customers = 0
  const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, ALL_WORKSPACES, work)
  const rows = (text: string, values: unknown[] = []) => queryInScope(pool, ALL_WORKSPACES, { text, values })

  /** The first lane of a new customer. */
  async function newLane(workspaceId = '1'): Promise<Lane> {
    const customerId = String(++customers)
    await rows('insert into customers values ($1, $2)', [workspaceId, customerId])
    await rows('insert into errand_lanes select $1, $2, slot from generate_series(0, 1) slot', [
      workspaceId,
      customerId,
    ])
    return { workspaceId, customerId, slot: 0 }
  }

  return {
    ...{ pool, url, inTx, rows, newLane },
    /** Makes errands due and wakes the lane, in a transaction of the caller. */
    add: (tx: Transaction, lane: Lane, count = 1) => addErrands(tx, lane, count),
    makeDue: (lane: Lane, count = 1) => inTx((tx) => addErrands(tx, lane, count)),
    wake: (lane: Lane) => inTx((tx) => wakeLanes(tx, ERRANDS, [lane])),
    laneOf: async ({ customerId, slot }: Lane) =>
      (await rows('select * from errand_lanes where customer_id = $1 and slot = $2', [customerId, slot]))[0]!,
    errandsOf: ({ customerId }: Lane) => rows('select * from errands where customer_id = $1 order by id', [customerId]),
    doneOf: ({ customerId }: Lane, ids: readonly string[]) =>
      rows('select id, $2::bigint from done where id = any ($1::bigint[])', [ids, customerId]),
    jobsOf: ({ customerId }: Lane) =>
      pool
        .query(`select id, state from jobs.job_common where data -> 'payload' ->> 'customerId' = $1`, [customerId])
        .then((found) => found.rows),
    /** Begins the turn of the job that the lane names now. */
    async begin(lane: Lane) {
      const [{ job_id: jobId }] = (await rows('select job_id from errand_lanes where customer_id = $1 and slot = $2', [
        lane.customerId,
        lane.slot,
      ])) as [{ job_id: string }]
      return (await inTx((tx) => beginTurn(tx, ERRANDS, { ...lane, jobId })))!
    },
    end: (turn: Turn<Lane, { isOpen: boolean }>, how: { yieldNow?: boolean; pause?: { afterMs: number } } = {}) =>
      inTx((tx) => endTurn(tx, ERRANDS, { turn, hasClaims: true, yieldNow: false, ...how })),
    claim: (turn: Turn<Lane, unknown>, limit = 10) => claimErrands(pool, turn, limit),
    record: (claims: readonly Claim[]) => recordErrands(pool, claims),
  }
}

async function addErrands(tx: Transaction, lane: Lane, count: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'insert into errands (workspace_id, customer_id) select $1, $2 from generate_series(1, $3::int) returning id',
    [lane.workspaceId, lane.customerId, count],
  )
  await wakeLanes(tx, ERRANDS, [lane])
  return rows.map(({ id }) => id)
}

export async function claimErrands(pool: pg.Pool, turn: Turn<Lane, unknown>, limit: number): Promise<Claim[]> {
  const { workspaceId, customerId, slot } = turn
  const rows = await queryInScope<{ id: string }>(pool, ALL_WORKSPACES, {
    text: `with held as materialized (${ERRANDS.held} for key share)
      update errands q set slot = $3, turn = $4, attempt = attempt + 1
      where q.ctid = any (array(select ctid from errands
        where workspace_id = $1 and customer_id = $2 and turn is null and due_at <= now() and exists (select from held)
        order by due_at, id limit $5 for update skip locked)) returning q.id`,
    values: [workspaceId, customerId, slot, turn.turn, limit],
  })
  return rows.map(({ id }) => ({ lane: { workspaceId, customerId, slot }, turn: turn.turn, id }))
}

/** Returns how many counted. */
export async function recordErrands(pool: pg.Pool, claims: readonly Claim[]): Promise<number> {
  let counted = 0
  for (const { lane, turn, id } of claims) {
    const text = 'delete from errands where workspace_id = $1 and id = $2 and slot = $3 and turn = $4 returning id'
    const values = [lane.workspaceId, id, lane.slot, turn]
    counted += (await queryInScope(pool, ALL_WORKSPACES, { text, values })).length
  }
  return counted
}

export type Errands = Turns<Lane, { isOpen: boolean }, { id: string; attempt: number }, Claim, Claim>

/** Turns that run errands: each is `run`, kept by the world outside, and recorded. */
export function errandTurns(
  pool: pg.Pool,
  { turnMsMax = 5_000, atOnce = 2, run = async () => undefined, ...more }: ErrandRun = {},
): Errands {
  return {
    ...{ pool, turnMsMax },
    lanes: ERRANDS,
    open: async (turn) => ({
      places: () => atOnce,
      unrecordedMax: 2 * atOnce,
      async claim(free) {
        const claims = await claimErrands(pool, turn, free)
        return { claims, mayHaveMore: claims.length === free }
      },
      async work(claim, stopping) {
        await run(claim, stopping)
        await pool.query('insert into done values ($1, $2)', [claim.id, claim.turn])
        return claim
      },
      async record(claim) {
        await recordErrands(pool, [claim])
        return true
      },
      ...more,
    }),
  }
}

type ErrandRun = Partial<TurnWork<Claim, Claim>> & {
  turnMsMax?: number
  atOnce?: number
  run?: (claim: Claim, stopping: AbortSignal) => Promise<unknown>
}
