import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { keysOf } from '../../server/encryption-keys.ts'
import type { SenderDeps } from '../../server/modules/sending/judge-sender.ts'
import { makeDkimKey, privateKeyRow } from '../../server/modules/sending-domains/dkim-key.ts'
import { type SecretBox, secretBox, secretKeys } from '../../server/platform/crypto/secret-box.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { Secret } from '../../server/platform/telemetry/secret.ts'

export const SENDER_DOMAIN = 'sender.example'
export const SENDER = `news@${SENDER_DOMAIN}`

/** Keys of an instance, for what is sealed in the test's database. */
export function testSecrets(): SecretBox {
  return secretBox(secretKeys([{ id: 'k1', key: randomBytes(32) }]))
}

/** The judge of senders in a workspace whose mail all goes to the world. */
export function testSender(secrets: SecretBox = testSecrets()): SenderDeps {
  return { secrets, isCatcher: () => false }
}

export type MailServer = { port: number; maxPerSecond?: number; maxPerDay?: number }

/** A default integration that hands over to a server on loopback, in clear text. Its id. */
export async function storeIntegration(pool: pg.Pool, workspaceId: string, server: MailServer): Promise<string> {
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, from_name, host, port,
        tls, max_per_second, max_per_day)
      values ($1, 'relay', 'email', 'smtp', true, true, $2, 'News', '127.0.0.1', $3, 'none', $4, $5) returning id`,
    values: [workspaceId, SENDER, server.port, server.maxPerSecond ?? null, server.maxPerDay ?? null],
  })
  return row!.id
}

/** A verified sending domain, without a name server having been asked. The `p=` of its record. */
export async function storeVerifiedDomain(
  pool: pg.Pool,
  secrets: SecretBox,
  { workspaceId, domain = SENDER_DOMAIN }: { workspaceId: string; domain?: string },
): Promise<string> {
  const key = await makeDkimKey()
  const [stored] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `with domain as (
        insert into sending_domains (workspace_id, domain, next_check_at) values ($1, $2, now() + interval '1 day') returning id)
      insert into sending_domain_keys (workspace_id, domain_id, role, selector, public_key, private_key, verified_at)
      select $1, id, 'current', 'test', $3, '', now() from domain returning id`,
    values: [workspaceId, domain, key.publicKey],
  })
  const sealed = secrets.seal(key.privateKey, privateKeyRow(workspaceId, stored!.id))
  await queryInScope(pool, workspaceId, {
    text: 'update sending_domain_keys set private_key = $2 where workspace_id = $1 and id = $3',
    values: [workspaceId, sealed, stored!.id],
  })
  return key.publicKey
}

/** The same in the first workspace of a service that runs, sealed with its own key. The `p=` of its record. */
export async function storeSenderIn(databaseUrl: string, encryptionKey: string): Promise<string> {
  const pool = createPool({ name: 'sql', url: databaseUrl, max: 2 })
  try {
    return await storeVerifiedDomain(pool, secretBox(keysOf(new Secret(encryptionKey))), { workspaceId: '1' })
  } finally {
    await pool.end()
  }
}

/** What an integration is made of that hands over the mail of that domain to a server on loopback, in clear text. */
export const relayAt = ({ port }: { port: number }) => ({
  ...{ kind: 'smtp', host: '127.0.0.1', port, tls: 'none' },
  from: SENDER,
})
