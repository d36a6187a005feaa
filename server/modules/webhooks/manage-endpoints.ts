import type pg from 'pg'
import { RESERVED_PREFIXES, SYSTEM_NAMES } from '../../catalogue/domain-events.ts'
import { inUse, invalid, limitReached, notFound, unprocessable } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import { URL_CHARACTERS_MAX } from '../../platform/net/url-guard.ts'
import type { Use } from '../../platform/problem.ts'
import { didYouMean } from '../../platform/schema/did-you-mean.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import { DROP_DELIVERIES } from './drop-deliveries.ts'
import { newEndpointSecret, ROTATION_OVERLAP_HOURS, secretFault } from './endpoint-secret.ts'
import { secretRow, secretsOf } from './endpoint-secrets.ts'
import { WEBHOOK_LANES } from './lanes.ts'
import {
  countEndpoints,
  deleteEndpointRow,
  type EndpointRow,
  endpointForChange,
  insertEndpoint,
  newEndpointId,
  replaceSecret,
  updateEndpointRow,
} from './queries.ts'
import type { EndpointBody, EndpointChange } from './schemas.ts'

/** Dependencies of the operations on endpoints. */
export type EndpointDeps = {
  sql: pg.Pool
  secrets: SecretBox
  judgeUrl: (url: string) => Promise<UrlJudgement>
  /** Endpoints that a workspace may have. */
  endpointsMax: number
  /** Names of all that calls an endpoint, for a person: it cannot be deleted. */
  usedBy?: (tx: Transaction, workspaceId: string, id: string) => Promise<Use[]>
}

/**
 * Creates an endpoint with a signing secret, of its own or of the caller's making. Throws 400 for a secret that is none, a
 * 422 naming what is wrong with the URL or a name, 409 when the workspace has as many as it may have.
 */
export async function createEndpoint(deps: EndpointDeps, caller: Caller, body: EndpointBody): Promise<EndpointRow> {
  requireNames(body.eventTypes)
  const signing = body.secret === undefined ? newEndpointSecret() : givenSecret(body.secret)
  const url = await deliverable(deps, body.url)
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await requireMeant(tx, workspaceId, { names: body.eventTypes })
    const count = await countEndpoints(tx, workspaceId)
    if (count >= deps.endpointsMax) throw limitReached(`A workspace may have ${deps.endpointsMax} webhook endpoints.`)
    const id = await newEndpointId(tx)
    const secret = deps.secrets.seal(signing, secretRow(workspaceId, id, 'secret'))
    const eventTypes = [...new Set(body.eventTypes ?? [])]
    const row = await insertEndpoint(tx, {
      workspaceId,
      id,
      url,
      eventTypes,
      enabled: body.enabled ?? true,
      secret,
    })
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.create',
      target: auditedEndpoint(row),
      diff: diff(undefined, row),
    })
    return row
  })
}

/**
 * Changes an endpoint. Switched on again, its pending deliveries continue. Throws 404, 412 when `ifMatch` names an older
 * state, and 422 for a bad URL.
 */
export async function updateEndpoint(
  deps: EndpointDeps,
  caller: Caller,
  input: { id: string; change: EndpointChange; ifMatch?: string | undefined },
): Promise<EndpointRow> {
  const { id, change } = input
  const { workspaceId } = caller
  requireNames(change.eventTypes)
  const url = change.url === undefined ? undefined : await deliverable(deps, change.url)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await endpointForChange(tx, workspaceId, id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    await requireMeant(tx, workspaceId, { names: change.eventTypes, had: before.eventTypes })
    const after = {
      url: url ?? before.url,
      eventTypes: change.eventTypes ? [...new Set(change.eventTypes)] : before.eventTypes,
      enabled: change.enabled ?? before.enabled,
    }
    const changed = diff(before, { ...before, ...after })
    if (Object.keys(changed).length === 0) return before
    const updated = await updateEndpointRow(tx, { workspaceId, id, ...after })
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.update',
      target: auditedEndpoint(updated),
      diff: changed,
    })
    if (after.enabled && !before.enabled) await wakeLanes(tx, WEBHOOK_LANES, [{ workspaceId, endpointId: id }])
    return updated
  })
}

/** Deletes an endpoint; what still waits for it is nobody's, and goes in the background. Throws 404, 409 naming what calls it, and 412 when `ifMatch` names an older state. */
export async function deleteEndpoint(
  deps: EndpointDeps,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const row = await deleteEndpointRow(tx, caller.workspaceId, id)
    if (!row) throw notFound()
    requireMatch(ifMatch, row)
    const usedBy = (await deps.usedBy?.(tx, caller.workspaceId, id)) ?? []
    if (usedBy.length > 0) throw inUse(usedBy)
    await enqueue(tx, DROP_DELIVERIES, { workspaceId: caller.workspaceId, endpointId: id })
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.delete',
      target: auditedEndpoint(row),
      diff: diff(row, undefined),
    })
  })
}

/**
 * Gives the endpoint a new secret, made here unless one is given. For a day both the new and the old one sign. One that it has already
 * changes nothing, so that a repeat does not take the old one away. Throws 400, 404.
 */
export async function rotateSecret(
  deps: EndpointDeps,
  caller: Caller,
  { id, given }: { id: string; given?: string | undefined },
): Promise<{ row: EndpointRow; secret: string }> {
  const { workspaceId } = caller
  const secret = given === undefined ? newEndpointSecret() : givenSecret(given)
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await endpointForChange(tx, workspaceId, id)
    const current = before && (await secretsOf(tx, deps.secrets, { workspaceId, id }))
    const old = current?.secrets[0]
    if (!before || old === undefined) throw notFound()
    if (secret === old) return before
    const updated = await replaceSecret(tx, {
      workspaceId,
      id,
      secret: deps.secrets.seal(secret, secretRow(workspaceId, id, 'secret')),
      previousSecret: deps.secrets.seal(old, secretRow(workspaceId, id, 'previous_secret')),
      overlapHours: ROTATION_OVERLAP_HOURS,
    })
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.rotate_secret',
      target: auditedEndpoint(updated),
      diff: { secret: 'changed' },
    })
    return updated
  })
  return { row, secret }
}

function givenSecret(secret: string): string {
  const fault = secretFault(secret)
  if (fault !== undefined) throw invalid([{ pointer: '/secret', detail: fault }])
  return secret
}

/** A name under a prefix of the system's own that it never delivers would wait for ever: a slip of the pen. */
function requireNames(names: readonly string[] | undefined): void {
  const faults = (names ?? []).flatMap((name, index) => {
    const isOwn = (SYSTEM_NAMES as readonly string[]).includes(name)
    if (isOwn || !RESERVED_PREFIXES.some((prefix) => name.toLowerCase().startsWith(prefix))) return []
    const meant = didYouMean(name, SYSTEM_NAMES)
    const detail = `is no event of the system${meant === undefined ? '' : `; did you mean ${meant}?`}`
    return [{ pointer: `/eventTypes/${index}`, detail }]
  })
  if (faults.length > 0) throw unprocessable(faults)
}

/**
 * A name of one of the system's families that is nearly one of its events, as `broadcast.finish`, is such a slip too, unless the
 * workspace has recorded an event of that name: there the prefix is not the system's alone.
 */
async function requireMeant(
  tx: Transaction,
  workspaceId: string,
  { names = [], had = [] }: { names?: readonly string[] | undefined; had?: readonly string[] },
): Promise<void> {
  const near = names.flatMap((name, index) => {
    const meant = didYouMean(name, SYSTEM_NAMES)
    const isSlip = meant !== undefined && meant !== name && familyOf(meant) === familyOf(name)
    return isSlip && !had.includes(name) ? [{ name, index, meant }] : []
  })
  if (near.length === 0) return
  const { rows } = await tx.query<{ name: string }>({
    name: 'recorded_names',
    text: 'select name from event_actions where workspace_id = $1 and name = any ($2::text[])',
    values: [workspaceId, near.map(({ name }) => name)],
  })
  const recorded = new Set(rows.map(({ name }) => name))
  const faults = near.flatMap(({ name, index, meant }) =>
    recorded.has(name)
      ? []
      : [{ pointer: `/eventTypes/${index}`, detail: `is no event that there was; did you mean ${meant}?` }],
  )
  if (faults.length > 0) throw unprocessable(faults)
}

const familyOf = (name: string) => name.toLowerCase().split('.', 1)[0]

const FIELDS = ['url', 'eventTypes', 'enabled'] as const

function diff(before: EndpointRow | undefined, after: EndpointRow | undefined) {
  const shown = (row: EndpointRow | undefined) => row && Object.fromEntries(FIELDS.map((field) => [field, row[field]]))
  return diffOf(shown(before), shown(after), { hidden: ['url'] })
}

/**
 * The URL as deliveries will ask for it. Throws a 422 for one that they would refuse. One whose name has no address yet is taken, and judged at each
 * attempt.
 */
async function deliverable(deps: Pick<EndpointDeps, 'judgeUrl'>, given: string): Promise<string> {
  const judgement = await deps.judgeUrl(given)
  if (judgement.outcome === 'refused') throw unprocessable([{ pointer: '/url', detail: judgement.message }])
  const url = new URL(given)
  url.hash = ''
  if (url.href.length > URL_CHARACTERS_MAX) {
    throw unprocessable([
      { pointer: '/url', detail: `has more than ${URL_CHARACTERS_MAX} characters when it is written out` },
    ])
  }
  return url.href
}
