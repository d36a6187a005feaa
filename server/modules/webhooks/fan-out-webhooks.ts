import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { ATTEMPTS_MAX } from '../../platform/outbox/consumer.ts'
import { parkRow } from '../../platform/outbox/parked.ts'
import { type Cursor, IN_RANGE, queryRange, type Range } from '../../platform/outbox/range.ts'
import { MAKE_DELIVERIES } from './delivery-body.ts'
import { type Lane, WEBHOOK_LANES } from './lanes.ts'

/** Deliveries that a stretch of the log makes at most, about half a second's: the events of others wait behind it. */
const STRETCH_DELIVERIES_MAX = 50_000
/** Smaller stretches are not worth a count. */
const COUNTED_FROM_EVENTS = 50
/** Deliveries of one transaction of the job at most, about. */
const CHUNK_DELIVERIES = 5_000
/** The consumer group whose rows these are: it also gets those that are parked, once they are replayed. */
export const DISPATCHING_GROUP = 'webhooks'
const TRY_AGAIN_MS = 50

export const FAN_OUT_WEBHOOKS = jobKind<{ workspaceId: string }>({
  kind: 'fan_out_webhooks',
  queue: 'default',
  singletonKey: ({ workspaceId }) => workspaceId,
  groupKey: ({ workspaceId }) => workspaceId,
})

type Weight = { workspaceId: string; events: number; endpoints: number }

/**
 * Puts the events aside of those workspaces that make a stretch of the log too much, the heaviest first, for a job of
 * theirs: their deliveries come as fast as before, and nobody else's wait for them. Returns the workspaces.
 */
export async function deferFanOuts(tx: Transaction, range: Range): Promise<string[]> {
  if (range.rows <= COUNTED_FROM_EVENTS) return []
  const { rows } = await queryRange<Weight>(tx, range, { name: 'weigh_fan_outs', text: WEIGH })
  const deferred = tooHeavy(rows)
  if (deferred.length === 0) return []
  await queryRange(tx, range, { name: 'defer_fan_outs', text: DEFER, values: [deferred] })
  for (const workspaceId of deferred) await enqueue(tx, FAN_OUT_WEBHOOKS, { workspaceId })
  return deferred
}

function tooHeavy(weights: readonly Weight[]): string[] {
  const deliveriesOf = ({ events, endpoints }: Weight) => events * endpoints
  let total = weights.reduce((sum, weight) => sum + deliveriesOf(weight), 0)
  const deferred: string[] = []
  for (const weight of weights.toSorted((one, other) => deliveriesOf(other) - deliveriesOf(one))) {
    if (total <= STRETCH_DELIVERIES_MAX) break
    deferred.push(weight.workspaceId)
    total -= deliveriesOf(weight)
  }
  return deferred
}

const WEIGH = `select w.workspace_id as "workspaceId", w.events, e.endpoints
  from (select workspace_id, count(*)::int as events from (select workspace_id from ${IN_RANGE}) o group by 1) w
  cross join lateral (select count(*)::int as endpoints from webhook_endpoints
    where workspace_id = w.workspace_id and (enabled or disabled_reason is null)) e`

const DEFER = `insert into webhook_backlog (workspace_id, position, tx, recorded_at)
  select workspace_id, position, tx, recorded_at from (select * from ${IN_RANGE}) o where workspace_id = any ($6::bigint[])`

export type FanOutDeps = {
  pool: pg.Pool
  onParked: (parked: { group: string; position: string; error: unknown }) => void
}

/**
 * The job `fan_out_webhooks`: makes the deliveries of events that were put aside, oldest first, a chunk a transaction. A
 * chunk that fails is halved down to its first event, which is tried ATTEMPTS_MAX times and then parked, as in the log.
 * Between those tries it yields to the end of the process alone: what was counted, and how far it was halved, would be forgotten.
 */
export async function fanOutWebhooks(
  { pool, onParked }: FanOutDeps,
  workspaceId: string,
  { shouldYield, stopping }: { shouldYield: () => boolean; stopping: AbortSignal },
): Promise<'done' | 'more'> {
  const size = new StepSize(CHUNK_DELIVERIES)
  const work = (tx: Transaction, deliveries: number) => fanOutChunk(tx, { workspaceId, deliveries })
  let tries = 0
  let isTrying = false
  for (;;) {
    try {
      const isEmpty = await boundedStep(pool, workspaceId, { size, work })
      tries = 0
      isTrying = false
      if (isEmpty) return 'done'
    } catch (error) {
      if (!(await isTheirOwnFault(pool, error))) throw error
      isTrying = true
      if (!size.halve()) tries++
      if (tries > 0) await delay(TRY_AGAIN_MS * tries)
      if (tries === ATTEMPTS_MAX) {
        const position = await parkFirst(pool, workspaceId, error)
        if (position !== undefined) onParked({ group: DISPATCHING_GROUP, position, error })
        tries = 0
        isTrying = false
      }
    }
    if (isTrying ? stopping.aborted : shouldYield()) return 'more'
  }
}

/** Whether it is the events that the database cannot take, or not in time, and not that it is away. */
async function isTheirOwnFault(pool: pg.Pool, error: unknown): Promise<boolean> {
  const outcome = databaseOutcome(error)
  if (outcome !== 'timed_out') return outcome === undefined
  return pool.query('select').then(
    () => true,
    () => false,
  )
}

/** Parks the event that comes next; undefined when there is none, or it is gone from the log. */
function parkFirst(pool: pg.Pool, workspaceId: string, error: unknown): Promise<string | undefined> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<Cursor>(
      `delete from webhook_backlog where ctid = any (array(
         select ctid from webhook_backlog where workspace_id = $1 order by position limit 1 for update))
       returning tx, position`,
      [workspaceId],
    )
    const row = rows[0]
    if (!row) return undefined
    const parked = await parkRow(tx, { group: DISPATCHING_GROUP, row, error, attempts: ATTEMPTS_MAX })
    return parked ? row.position : undefined
  })
}

/** Age in seconds of the oldest event that was put aside, by the database's clock; 0 when there is none. */
export async function backlogLag(pool: pg.Pool): Promise<number> {
  const rows = await queryInScope<{ seconds: number }>(pool, ALL_WORKSPACES, { name: 'webhook_backlog_lag', text: LAG })
  return rows[0]!.seconds
}

/** A walk over the key, from workspace to workspace: the events of one may be millions. */
const LAG = `with recursive first(workspace_id, recorded_at) as (
    (select workspace_id, recorded_at from webhook_backlog order by workspace_id, position limit 1)
    union all
    select n.workspace_id, n.recorded_at from first f cross join lateral (
      select workspace_id, recorded_at from webhook_backlog where workspace_id > f.workspace_id
      order by workspace_id, position limit 1) n
  )
  select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(recorded_at))), 0)::float8 as seconds from first`

async function fanOutChunk(
  tx: Transaction,
  { workspaceId, deliveries }: { workspaceId: string; deliveries: number },
): Promise<boolean> {
  // Erasures hold the endpoints while they take rows out of the log and its deliveries (erase-deliveries.ts).
  const held = await tx.query('select from webhook_endpoints where workspace_id = $1 order by id for no key update', [
    workspaceId,
  ])
  const events = Math.ceil(deliveries / Math.max(1, held.rowCount ?? 0))
  const { rows } = await tx.query<Lane>({ name: 'fan_out_webhooks', text: FAN_OUT, values: [workspaceId, events] })
  await wakeLanes(tx, WEBHOOK_LANES, rows)
  const left = await tx.query('select from webhook_backlog where workspace_id = $1 limit 1', [workspaceId])
  return left.rowCount === 0
}

/**
 * Found by key in the one partition that has it; what was erased since is not there any more, and is nobody's. Places of the backlog
 * hold: its rows are only ever added and deleted.
 */
const FAN_OUT = `with taken as (
    delete from webhook_backlog where ctid = any (array(
      select ctid from webhook_backlog where workspace_id = $1 order by position limit $2 for update))
    returning tx, position, recorded_at
  ), ${MAKE_DELIVERIES(`(select o.* from taken t cross join lateral (
    select * from outbox where tx = t.tx and position = t.position and recorded_at = t.recorded_at offset 0) o)`)}`
