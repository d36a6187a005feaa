import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { IN_RANGE, queryRange, type Range } from '../../platform/outbox/range.ts'
import { MAKE_DELIVERIES } from './delivery-body.ts'
import { type Lane, WEBHOOK_LANES } from './lanes.ts'

/** Deliveries that a stretch of the log makes at most, about half a second's: the events of others wait behind it. */
const STRETCH_DELIVERIES_MAX = 50_000
/** Smaller stretches are not worth a count. */
const COUNTED_FROM_EVENTS = 50
/** Deliveries of one transaction of the job at most, about. */
const CHUNK_DELIVERIES = 5_000

export const FAN_OUT_WEBHOOKS = jobKind<{ workspaceId: string }>({
  kind: 'fan_out_webhooks',
  queue: 'default',
  singletonKey: ({ workspaceId }) => `fan out ${workspaceId}`,
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

/** The job `fan_out_webhooks`: makes the deliveries of events that were put aside, oldest first, a chunk a transaction. */
export async function fanOutWebhooks(
  pool: pg.Pool,
  workspaceId: string,
  shouldYield: () => boolean,
): Promise<'done' | 'more'> {
  const size = new StepSize(CHUNK_DELIVERIES)
  const work = (tx: Transaction, deliveries: number) => fanOutChunk(tx, { workspaceId, deliveries })
  for (;;) {
    const isEmpty = await boundedStep(pool, workspaceId, { size, work })
    if (isEmpty) return 'done'
    if (shouldYield()) return 'more'
  }
}

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

/** Found by key in the one partition that has it; what was erased since is not there any more, and is nobody's. */
const FAN_OUT = `with taken as (
    delete from webhook_backlog where ctid = any (array(
      select ctid from webhook_backlog where workspace_id = $1 order by position limit $2 for update))
    returning tx, position, recorded_at
  ), ${MAKE_DELIVERIES(`(select o.* from taken t cross join lateral (
    select * from outbox where tx = t.tx and position = t.position and recorded_at = t.recorded_at offset 0) o)`)}`
