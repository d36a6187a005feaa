import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { rowsBefore } from '../../platform/schema/paging.ts'

export type EndpointRow = {
  id: string
  url: string
  eventTypes: string[]
  enabled: boolean
  disabledReason: 'gone' | 'failing' | null
  createdAt: string
  updatedAt: string
}

const ENDPOINT = `e.id, e.url, e.event_types as "eventTypes", e.enabled, e.disabled_reason as "disabledReason",
  e.created_at as "createdAt", e.updated_at as "updatedAt"`

export function endpointByIdStatement(workspaceId: string, id: string): Statement<EndpointRow> {
  return {
    name: 'webhook_endpoint_by_id',
    text: `select ${ENDPOINT} from webhook_endpoints e where e.workspace_id = $1 and e.id = $2`,
    values: [workspaceId, id],
  }
}

export async function endpointForChange(tx: Queryable, workspaceId: string, id: string) {
  const { rows } = await tx.query<EndpointRow>({
    name: 'webhook_endpoint_for_change',
    text: `select ${ENDPOINT} from webhook_endpoints e where e.workspace_id = $1 and e.id = $2 for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export function endpointsPageStatement(
  workspaceId: string,
  page: { page: number; pageSize: number },
): Statement<EndpointRow> {
  return {
    name: 'webhook_endpoints_page',
    text: `select ${ENDPOINT} from webhook_endpoints e where e.workspace_id = $1 order by e.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function endpointsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'webhook_endpoints_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts
      where workspace_id = $1 and relation = 'webhook_endpoints'`,
    values: [workspaceId],
  }
}

/** How many endpoints the workspace has. Until the transaction ends nobody else makes one. */
export async function countEndpoints(tx: Queryable, workspaceId: string): Promise<number> {
  // Statements of their own: the second must see what was committed while the first waited for the lock.
  const [, { rows }] = await Promise.all([
    tx.query({
      name: 'lock_webhook_endpoints',
      text: `select pg_advisory_xact_lock(hashtextextended('webhook_endpoints', $1::bigint))`,
      values: [workspaceId],
    }),
    tx.query<{ count: number }>({
      name: 'count_webhook_endpoints',
      text: 'select count(*)::int as count from webhook_endpoints where workspace_id = $1',
      values: [workspaceId],
    }),
  ])
  return rows[0]!.count
}

/** Drawn before the row exists, because the secret is sealed to it. */
export async function newEndpointId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `select nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) as id`,
  )
  return rows[0]!.id
}

export async function insertEndpoint(
  tx: Queryable,
  row: { workspaceId: string; id: string; url: string; eventTypes: string[]; enabled: boolean; secret: string },
): Promise<EndpointRow> {
  const { rows } = await tx.query<EndpointRow>({
    name: 'insert_webhook_endpoint',
    text: `with e as (
        insert into webhook_endpoints (workspace_id, id, url, event_types, enabled, secret)
        overriding system value values ($1, $2, $3, $4, $5, $6) returning *
      ), lane as (
        insert into webhook_lanes (workspace_id, endpoint_id) select workspace_id, id from e
      )
      select ${ENDPOINT} from e`,
    values: [row.workspaceId, row.id, row.url, row.eventTypes, row.enabled, row.secret],
  })
  return rows[0]!
}

/** A change by the owner: switching on forgets why it was off and how it failed. */
export async function updateEndpointRow(
  tx: Queryable,
  row: { workspaceId: string; id: string; url: string; eventTypes: string[]; enabled: boolean },
): Promise<EndpointRow> {
  const { rows } = await tx.query<EndpointRow>({
    name: 'update_webhook_endpoint',
    text: `with fresh as (
        update webhook_lanes set failing_since = null, warnings = 0
        where workspace_id = $1 and endpoint_id = $2 and $5 and failing_since is not null
      )
      update webhook_endpoints e set url = $3, event_types = $4, enabled = $5, updated_at = now(),
        disabled_reason = case when $5 then null else e.disabled_reason end
      where e.workspace_id = $1 and e.id = $2 returning ${ENDPOINT}`,
    values: [row.workspaceId, row.id, row.url, row.eventTypes, row.enabled],
  })
  return rows[0]!
}

export async function deleteEndpointRow(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const { rows } = await tx.query<EndpointRow>({
    name: 'delete_webhook_endpoint',
    text: `delete from webhook_endpoints e where e.workspace_id = $1 and e.id = $2 returning ${ENDPOINT}`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export type SealedSecrets = { url: string; secret: string; previousSecret: string | null }

/** URL and sealed secrets of an endpoint; the previous secret only while it still signs. */
export function endpointSecretsStatement(workspaceId: string, id: string): Statement<SealedSecrets> {
  return {
    name: 'webhook_endpoint_secrets',
    text: `select url, secret, case when previous_secret_until > now() then previous_secret end as "previousSecret"
      from webhook_endpoints where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  }
}

export async function replaceSecret(
  tx: Queryable,
  row: { workspaceId: string; id: string; secret: string; previousSecret: string; overlapHours: number },
): Promise<EndpointRow> {
  const { rows } = await tx.query<EndpointRow>({
    name: 'replace_webhook_secret',
    text: `update webhook_endpoints e set secret = $3, previous_secret = $4, updated_at = now(),
        previous_secret_until = now() + make_interval(hours => $5)
      where e.workspace_id = $1 and e.id = $2 returning ${ENDPOINT}`,
    values: [row.workspaceId, row.id, row.secret, row.previousSecret, row.overlapHours],
  })
  return rows[0]!
}
