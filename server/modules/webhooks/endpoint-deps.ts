import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import type { DeliveryTarget } from './attempt-delivery.ts'
import { keyOfSecret } from './endpoint-secret.ts'
import type { Lane } from './lanes.ts'
import { endpointSecretsStatement, type SealedSecrets } from './queries.ts'

/** Dependencies of the operations on endpoints. */
export type EndpointDeps = {
  sql: pg.Pool
  secrets: SecretBox
  judgeUrl: (url: string) => Promise<UrlJudgement>
  /** Endpoints that a workspace may have. */
  endpointsMax: number
}

/** The row that a sealed secret is bound to. */
export function secretRow(workspaceId: string, endpointId: string, column: 'secret' | 'previous_secret'): string {
  return `${workspaceId}/webhook_endpoints/${endpointId}/${column}`
}

/** Throws a 422 for a URL that deliveries would refuse. One whose name has no address yet is taken, and judged at each attempt. */
export async function requireDeliverable(deps: Pick<EndpointDeps, 'judgeUrl'>, url: string): Promise<void> {
  const judgement = await deps.judgeUrl(url)
  if (judgement.outcome === 'refused') throw unprocessable([{ pointer: '/url', detail: judgement.message }])
}

export async function secretsOf(
  db: Queryable,
  box: SecretBox,
  key: { workspaceId: string; id: string },
): Promise<{ url: string; secrets: string[] } | undefined> {
  const { rows } = await db.query(endpointSecretsStatement(key.workspaceId, key.id))
  return opened(box, key, rows[0])
}

function opened(box: SecretBox, key: { workspaceId: string; id: string }, row: SealedSecrets | undefined) {
  if (!row) return undefined
  const secrets = [box.open(row.secret, secretRow(key.workspaceId, key.id, 'secret'))]
  if (row.previousSecret !== null) {
    secrets.push(box.open(row.previousSecret, secretRow(key.workspaceId, key.id, 'previous_secret')))
  }
  return { url: row.url, secrets }
}

/** Where a lane's deliveries go and what signs them; undefined when the endpoint is gone. */
export async function targetOf(pool: pg.Pool, box: SecretBox, lane: Lane): Promise<DeliveryTarget | undefined> {
  const key = { workspaceId: lane.workspaceId, id: lane.endpointId }
  const [row] = await queryInScope(pool, key.workspaceId, endpointSecretsStatement(key.workspaceId, key.id))
  const found = opened(box, key, row)
  return found && { url: found.url, keys: found.secrets.map(keyOfSecret) }
}
