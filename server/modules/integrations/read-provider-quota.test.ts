import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { SES_LOGIN, SES_REGION, sesError, startSesPeer } from '../../../test/support/ses-peer.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { parseNetworks } from '../../platform/net/address-guard.ts'
import { createGuardedClient, type GuardedClient } from '../../platform/net/guarded-client.ts'
import { createResolver } from '../../platform/net/resolver.ts'
import { createIntegration } from './create-integration.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { integrationOf } from './integration-of.ts'
import { readIntegration } from './read-integrations.ts'
import { readProviderQuota } from './read-provider-quota.ts'
import { READ_PROVIDER_QUOTA, refreshProviderQuotas } from './refresh-provider-quotas.ts'
import { updateIntegration } from './update-integration.ts'

const { pool, workspaceId, caller } = await testWorkspace()
await migrateJobs(pool, ['default'])
const ses = await startSesPeer()
const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve: createResolver() })
after(async () => {
  await client.close()
  await ses.close()
})
beforeEach(() => ses.misbehave(undefined))

const secrets = secretBox(secretKeys([{ id: 'k1', key: randomBytes(32) }]))
const deps: IntegrationDeps = {
  sql: pool,
  secrets,
  lookUpMailHost: async () => ({ outcome: 'resolved', addresses: [] }),
  judgeUrl: async () => ({ outcome: 'allowed' }),
  requestQuota: (tx, key) => enqueue(tx, READ_PROVIDER_QUOTA, key),
}

const config = { kind: 'ses', region: SES_REGION, ...SES_LOGIN, endpoint: ses.url, from: 'a@sender.example' } as const

async function created(more: object = {}) {
  const { id } = await createIntegration(deps, caller, { name: 'SES', config, ...more })
  return { workspaceId, id }
}

const read = (key: { workspaceId: string; id: string }, through: GuardedClient = client) =>
  readProviderQuota({ pool, secrets, client: through }, key)
const sendLimit = async (key: { workspaceId: string; id: string }) =>
  integrationOf(await readIntegration(pool, key)).sendLimit

async function jobs(): Promise<{ key: string; delayed: boolean }[]> {
  const { rows } = await pool.query<{ key: string; delayed: boolean }>(
    `select singleton_key as key, start_after > now() as delayed from jobs.job_common
     where data ->> 'kind' = 'read_provider_quota' and state = 'created' order by singleton_key`,
  )
  return rows
}

test('saving asks for the quota once, and again only for another account or when it is switched on', async () => {
  const count = async ({ id }: { id: string }) =>
    (await jobs()).filter(({ key }) => key === `read_provider_quota/${workspaceId}/${id}`).length
  const forget = () => pool.query(`delete from jobs.job_common where data ->> 'kind' = 'read_provider_quota'`)
  const key = await created()
  assert.equal(await count(key), 1)
  for (const [body, expected] of [
    [{ name: 'B' }, 0],
    [{ maxPerDay: 5 }, 0],
    [{ config: { fromName: 'X' } }, 0],
    [{ config: { secretAccessKey: SES_LOGIN.secretAccessKey } }, 1],
    [{ enabled: false }, 0],
    [{ enabled: true }, 1],
  ] as const) {
    await forget()
    await updateIntegration(deps, caller, { id: key.id, body })
    assert.equal(await count(key), expected, JSON.stringify(body))
  }
})

test('a failure keeps what was read before; the next success forgets the failure', async () => {
  const key = await created()
  ses.grant({ perSecond: 14, perDay: 200 })
  assert.deepEqual(await read(key), { outcome: 'read' })
  ses.misbehave(sesError(500, 'InternalFailure'))
  assert.deepEqual(await read(key), { outcome: 'failed', code: 'provider_unavailable', passing: true })
  const failed = await sendLimit(key)
  assert.deepEqual([failed.perDay.limit, failed.warnings], [200, ['providerQuotaUnavailable']])
  ses.misbehave(sesError(403, 'AccessDeniedException'))
  assert.deepEqual(await read(key), { outcome: 'failed', code: 'permission_missing', passing: false })
  ses.misbehave(undefined)
  assert.deepEqual(await read(key), { outcome: 'read' })
  assert.deepEqual((await sendLimit(key)).warnings, [])
})

test('a quota that was read with keys that were replaced meanwhile does not count', async () => {
  const key = await created()
  ses.grant({ perSecond: 99, perDay: 99 })
  const slow: GuardedClient = {
    ...client,
    async send(request) {
      const answer = await client.send(request)
      const keys = { accessKeyId: SES_LOGIN.accessKeyId, secretAccessKey: SES_LOGIN.secretAccessKey }
      await updateIntegration(deps, caller, { id: key.id, body: { config: keys } })
      return answer
    },
  }
  assert.deepEqual(await read(key, slow), { outcome: 'read' })
  assert.equal((await sendLimit(key)).perDay.limit, null)
})

test('what is deleted, switched off or no account of SES is not asked about', async () => {
  const asked = ses.requests.length
  const off = await created({ enabled: false })
  const smtp = await created({ config: { kind: 'smtp', host: 'h.example', port: 25, from: 'a@b.example' } })
  for (const key of [off, smtp, { workspaceId, id: '900000000' }])
    assert.deepEqual(await read(key), { outcome: 'gone' })
  assert.equal(ses.requests.length, asked)
})

test('the refresh asks for each enabled account of SES, spread over minutes', async () => {
  const ids = []
  for (let n = 0; n < 5; n += 1) ids.push((await created()).id)
  await created({ enabled: false })
  await pool.query(`delete from jobs.job_common where data ->> 'kind' = 'read_provider_quota'`)
  await refreshProviderQuotas(pool)
  await refreshProviderQuotas(pool)
  const statement = `select id from integrations where workspace_id = $1 and provider = 'ses' and enabled`
  const enabled = await queryInScope<{ id: string }>(pool, workspaceId, { text: statement, values: [workspaceId] })
  const waiting = await jobs()
  assert.ok(ids.every((id) => enabled.some((one) => one.id === id)))
  assert.deepEqual(
    waiting.map(({ key }) => key),
    enabled.map(({ id }) => `read_provider_quota/${workspaceId}/${id}`).sort(),
  )
  assert.ok(waiting.some(({ delayed }) => delayed))
})
