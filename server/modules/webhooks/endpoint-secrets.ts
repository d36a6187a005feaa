import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { type Queryable, queryInScope } from '../../platform/db/transaction.ts'
import type { DeliveryTarget } from './attempt-delivery.ts'
import { keyOfSecret } from './endpoint-secret.ts'
import type { Lane } from './lanes.ts'
import { endpointSecretsStatement, type SealedSecrets } from './queries.ts'

/** The row that a sealed secret is bound to. */
export function secretRow(workspaceId: string, endpointId: string, column: 'secret' | 'previous_secret'): string {
  return `${workspaceId}/webhook_endpoints/${endpointId}/${column}`
}

/** An endpoint's URL and what signs its deliveries, the newest secret first; undefined when it is gone. */
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
