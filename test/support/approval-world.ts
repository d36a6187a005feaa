import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { QUEUES } from '../../server/catalogue/queues.ts'
import type { Scope } from '../../server/catalogue/scopes.ts'
import type { Caller } from '../../server/modules/auth/caller.ts'
import { createCompiledCache } from '../../server/modules/templates/compiled-cache.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets, testSender } from './sending-world.ts'
import { testWorkspace } from './workspace.ts'

/** A workspace that can send, with what asking for an approval takes, and a token that has to ask. */
export async function approvalWorld(scope: Scope) {
  const { pool, workspaceId, caller } = await testWorkspace({ connections: 8 })
  await migrateJobs(pool, QUEUES)
  const secrets = testSecrets()
  await storeVerifiedDomain(pool, secrets, { workspaceId })
  await storeIntegration(pool, workspaceId, { port: 25 })
  const deps = {
    ...{ sql: pool, secrets, compiled: createCompiledCache(), baseUrl: new URL('https://mail.example/') },
    ...testSender(secrets),
    play: () => assert.fail('nothing is played'),
  }
  /** `$1` is the workspace. */
  const rows = <R extends object>(text: string, values: unknown[] = []) =>
    queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
  const [token] = await rows<{ id: string }>(
    `insert into api_tokens (workspace_id, name, public_id, hash, scopes)
      values ($1, 'agent', 'abcdefghijkl', $2, array[$3]) returning id`,
    [randomBytes(32), scope],
  )
  const agent: Caller = { ...caller, actor: { kind: 'api_token', id: token!.id, name: 'agent' } }
  return { pool, workspaceId, caller, deps, rows, agent }
}
