import { Webhook } from 'standardwebhooks'
import { secretsOf } from '../../server/modules/webhooks/endpoint-secrets.ts'
import { type Lane, WEBHOOK_LANES } from '../../server/modules/webhooks/lanes.ts'
import { readDelivery } from '../../server/modules/webhooks/manage-deliveries.ts'
import { createEndpoint } from '../../server/modules/webhooks/manage-endpoints.ts'
import type { EndpointRow } from '../../server/modules/webhooks/queries.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { wakeLanes } from '../../server/platform/lanes/wake-lanes.ts'
import type { Service } from './background-service.ts'
import { eventually } from './eventually.ts'
import type { ReceivedRequest } from './receiver.ts'
import { callerOf, createWorkspace } from './workspace.ts'

/** A workspace with an endpoint, as the stories about deliveries begin. */
export type EndpointStory = Lane & { endpoint: EndpointRow; secret: string }

export async function endpointIn(
  service: Service,
  given: { url: string; workspaceId?: string; eventTypes?: string[] },
): Promise<EndpointStory> {
  const workspaceId = given.workspaceId ?? (await createWorkspace(service.pools.sql))
  const endpoint = await createEndpoint(service.endpoints, callerOf(workspaceId), {
    url: given.url,
    eventTypes: given.eventTypes ?? [],
  })
  const lane = { workspaceId, endpointId: endpoint.id }
  return { ...lane, endpoint, secret: (await signingSecrets(service, lane))[0]! }
}

/** The secrets that sign an endpoint's deliveries now, newest first. */
export async function signingSecrets(service: Service, lane: Lane): Promise<string[]> {
  const { workspaceId, endpointId: id } = lane
  const { secrets } = service.endpoints
  const found = await inTransaction(service.pools.sql, workspaceId, (tx) => secretsOf(tx, secrets, { workspaceId, id }))
  return found?.secrets ?? []
}

/** Verifies a request with the official library, as a receiver does, and gives its body. Throws when it does not hold. */
export function verified(request: ReceivedRequest, secret: string): Record<string, unknown> {
  return new Webhook(secret).verify(request.body, request.headers as Record<string, string>) as Record<string, unknown>
}

/** The number of a delivery, by the webhook-id that its receiver saw. */
export function deliveryIdOf(request: ReceivedRequest): string {
  return String(request.headers['webhook-id']).replace(/^dlv_/, '')
}

export function deliveryOf(service: Service, lane: Lane, id: string) {
  return readDelivery({ sql: service.pools.sql }, lane.workspaceId, { endpointId: lane.endpointId, id })
}

/** Waits until a number of a delivery's attempts are in its log and the next one, if any, has a time. */
export async function attemptsLogged(service: Service, lane: Lane, { id, attempts }: { id: string; attempts: number }) {
  await eventually(`${attempts} attempts of delivery ${id} in the log`, async () => {
    const { attemptLog, state, nextAttemptAt } = await deliveryOf(service, lane, id)
    return attemptLog.length >= attempts && (state !== 'pending' || nextAttemptAt !== null)
  })
  return deliveryOf(service, lane, id)
}

/** Lets the time of every waiting retry of a lane come now. */
export async function travelToRetries(service: Service, lane: Lane): Promise<void> {
  await inTransaction(service.pools.sql, lane.workspaceId, async (tx) => {
    await tx.query(
      'update delivery_queue set due_at = now() where workspace_id = $1 and endpoint_id = $2 and turn is null',
      [lane.workspaceId, lane.endpointId],
    )
    await wakeLanes(tx, WEBHOOK_LANES, [lane])
  })
}

/** Waits until every group has handled every event and nothing waits to be delivered now in a workspace. */
export async function drained(service: Service, workspaceId: string, withinMs = 60_000): Promise<void> {
  await eventually(
    'nothing is due in the workspace',
    async () => {
      const [row] = await queryInScope<{ busy: boolean }>(service.pools.sql, ALL_WORKSPACES, {
        text: `select exists (select from outbox o, outbox_cursors c where (o.tx, o.position) > (c.tx, c.position))
          or exists (select from delivery_queue q join webhook_endpoints e
            on e.workspace_id = q.workspace_id and e.id = q.endpoint_id and e.enabled
            where q.workspace_id = $1 and (q.due_at <= now() or q.turn is not null)) as busy`,
        values: [workspaceId],
      })
      return row?.busy === false
    },
    withinMs,
  )
}

/** Audited actions on one entity in a workspace, oldest first. */
export function auditedActions(service: Service, workspaceId: string, target: { type: string; id: string }) {
  return queryInScope<{ action: string; actor: string; diff: string; targetName: string | null }>(
    service.pools.sql,
    workspaceId,
    {
      text: `select action, actor_kind as actor, diff, target_name as "targetName" from audit_entries
        where workspace_id = $1 and target_type = $2 and target_id = $3 order by id`,
      values: [workspaceId, target.type, target.id],
    },
  )
}
