import type pg from 'pg'
import { WEBHOOK_TEST } from '../../catalogue/domain-events.ts'
import { badCursor, notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { cursorsOf, examinedPage } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { webhookId } from './attempt-delivery.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import {
  attemptsOfStatement,
  type DeliveryRow,
  type DeliverySearch,
  deliveriesOfStatement,
  deliveryByIdStatement,
  EXAMINED_MAX,
  insertPing,
  queueAgain,
} from './delivery-queries.ts'
import { WEBHOOK_LANES } from './lanes.ts'
import type { EndpointDeps } from './manage-endpoints.ts'
import { type EndpointRow, endpointByIdStatement, endpointForChange } from './queries.ts'
import { RECOVER_WEBHOOK } from './recover-webhook.ts'

const DIGITS = /^[0-9]{1,19}$/
const cursors = cursorsOf('deliveries', [DIGITS, DIGITS])

type DeliveryKey = { endpointId: string; id: string }

/**
 * A page of an endpoint's log, newest first. With a filter a page may hold fewer than asked for, and still have a next one. Throws
 * 404 for an unknown endpoint, 400 for a bad cursor.
 */
export async function listDeliveries(
  deps: { sql: pg.Pool },
  search: Omit<DeliverySearch, 'before'> & { cursor?: string | undefined },
) {
  const { cursor, limit, workspaceId, endpointId } = search
  const key = cursor === undefined ? undefined : cursors.decode(cursor)
  if (cursor !== undefined && key === undefined) throw badCursor()
  const before = key && { eventId: key[0]!, id: key[1]! }
  const [endpoints, rows] = await Promise.all([
    queryInScope(deps.sql, workspaceId, endpointByIdStatement(workspaceId, endpointId)),
    queryInScope(deps.sql, workspaceId, deliveriesOfStatement({ ...search, before, limit: limit + 1 })),
  ])
  if (endpoints.length === 0) throw notFound()
  const { items, last } = examinedPage(rows, { limit, examinedMax: EXAMINED_MAX })
  return { items: items.map(shown), ...(last ? { nextCursor: cursors.encode([last.eventId, last.id]) } : {}) }
}

/** One delivery with its body and the log of its attempts. Throws 404. */
export function readDelivery(deps: { sql: pg.Pool }, workspaceId: string, key: DeliveryKey) {
  return inTransaction(deps.sql, workspaceId, (tx) => deliveryWithin(tx, workspaceId, key))
}

/** The same as a transaction sees it, with what that has changed itself. */
async function deliveryWithin(tx: Transaction, workspaceId: string, key: DeliveryKey) {
  const [{ rows }, attempts] = await Promise.all([
    tx.query(deliveryByIdStatement(workspaceId, key.endpointId, key.id)),
    tx.query(attemptsOfStatement(workspaceId, key.id)),
  ])
  const row = rows[0]
  if (!row) throw notFound()
  return { ...shown(row), body: row.body, attemptLog: attempts.rows }
}

/** Sends a delivery again, under its old webhook-id and with all attempts before it. Throws 404. */
export async function resendDelivery(deps: EndpointDeps, caller: Caller, key: DeliveryKey) {
  const { workspaceId } = caller
  const lane = { workspaceId, endpointId: key.endpointId }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    // Its log outlives an endpoint, but what is gone receives nothing.
    if (!(await endpointForChange(tx, workspaceId, key.endpointId))) throw notFound()
    const { rows } = await tx.query(deliveryByIdStatement(workspaceId, key.endpointId, key.id))
    if (!rows[0]) throw notFound()
    await queueAgain(tx, workspaceId, [key.id])
    await wakeLanes(tx, WEBHOOK_LANES, [lane])
    await recordAudit(tx, caller, {
      action: 'webhook_delivery.resend',
      target: { type: 'webhook_delivery', id: key.id, name: rows[0].eventType },
    })
    return deliveryWithin(tx, workspaceId, key)
  })
}

/** Sends a `webhook.test` event to this endpoint only, whatever its filter. Throws 404. */
export async function testEndpoint(deps: EndpointDeps, caller: Caller, endpointId: string) {
  const { workspaceId } = caller
  const lane = { workspaceId, endpointId }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const endpoint = await endpointForChange(tx, workspaceId, endpointId)
    if (!endpoint) throw notFound()
    const id = await insertPing(tx, { workspaceId, endpointId, eventType: WEBHOOK_TEST })
    await wakeLanes(tx, WEBHOOK_LANES, [lane])
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.test',
      target: auditedEndpoint(endpoint),
    })
    return deliveryWithin(tx, workspaceId, { endpointId, id })
  })
}

/**
 * Has every event since a time delivered that did not reach the endpoint: discarded deliveries again, missed events for
 * the first time. Works in the background. Answers the endpoint. Throws 404, and 422 for a time to come.
 */
export async function recoverDeliveries(
  deps: EndpointDeps,
  caller: Caller,
  input: { endpointId: string; since: string },
): Promise<EndpointRow> {
  const { workspaceId } = caller
  const { endpointId, since } = input
  if (Date.parse(since) > Date.now()) throw unprocessable([{ pointer: '/since', detail: 'must not be in the future' }])
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const endpoint = await endpointForChange(tx, workspaceId, endpointId)
    if (!endpoint) throw notFound()
    const { rows } = await tx.query<{ until: string }>('select now() as until')
    await enqueue(tx, RECOVER_WEBHOOK, { workspaceId, endpointId, since, until: rows[0]!.until })
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.recover',
      target: auditedEndpoint(endpoint),
      diff: { since: { from: null, to: since } },
    })
    return endpoint
  })
}

function shown(row: DeliveryRow) {
  return { ...row, webhookId: webhookId(row.id) }
}
