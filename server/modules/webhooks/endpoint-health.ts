import type pg from 'pg'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { endpointsTotalStatement } from './queries.ts'

/** Deliveries of an endpoint that its health is told by: the newest. */
export const HEALTH_DELIVERIES = 50
/** Up to here what waits is counted. */
export const WAITING_COUNTED_MAX = 1_000

export type EndpointHealth = {
  endpointId: string
  enabled: boolean
  disabledReason: 'gone' | 'failing' | null
  failingSince: string | null
  waiting: number
  waitingIsMore: boolean
  pending: number
  delivered: number
  discarded: number
}

/** How the endpoints of a page of the list fare, in its order. */
export async function readHealth(sql: pg.Pool, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, endpointsHealthStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, endpointsTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Bounded reads of two indexes for each endpoint, however much was delivered or waits. */
function endpointsHealthStatement(workspaceId: string, page: PageQuery): Statement<EndpointHealth> {
  return {
    name: 'webhook_endpoints_health',
    text: `select e.id as "endpointId", e.enabled, e.disabled_reason as "disabledReason",
        l.failing_since as "failingSince", least(queued.total, $5::int) as waiting,
        queued.total > $5::int as "waitingIsMore", recent.pending, recent.delivered, recent.discarded
      from (
        select * from webhook_endpoints where workspace_id = $1 order by id limit $2 offset $3
      ) e
      join webhook_lanes l on l.workspace_id = e.workspace_id and l.endpoint_id = e.id
      cross join lateral (
        select count(*)::int as total from (
          select from delivery_queue q where q.workspace_id = e.workspace_id and q.endpoint_id = e.id limit $5::int + 1
        ) q
      ) queued
      cross join lateral (
        select count(*) filter (where d.state = 'pending')::int as pending,
          count(*) filter (where d.state = 'delivered')::int as delivered,
          count(*) filter (where d.state = 'discarded')::int as discarded
        from (
          select d.state from deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id
          order by d.event_id desc, d.id desc limit $4
        ) d
      ) recent
      order by e.id`,
    values: [workspaceId, page.pageSize, rowsBefore(page), HEALTH_DELIVERIES, WAITING_COUNTED_MAX],
  }
}
