import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createIntegration } from './create-integration.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { integrationFor } from './sending-integration.ts'
import { updateIntegration } from './update-integration.ts'

const { pool } = await testWorkspace()
const secrets = secretBox(secretKeys([{ id: 'k1', key: randomBytes(32) }]))
const deps: IntegrationDeps = {
  sql: pool,
  secrets,
  lookUpMailHost: async () => ({ outcome: 'resolved', addresses: [] }),
  judgeUrl: async () => ({ outcome: 'allowed' }),
  requestQuota: async () => undefined,
}
const SMTP = {
  kind: 'smtp',
  host: 'h.example',
  port: 587,
  username: 'u',
  password: 'geheim',
  from: 'a@b.example',
} as const

/** A workspace of its own with integrations, in the order given; answers their ids. */
async function workspaceWith(...integrations: object[]) {
  const workspaceId = await createWorkspace(pool)
  const ids: string[] = []
  for (const more of integrations) {
    ids.push((await createIntegration(deps, callerOf(workspaceId), { name: 'I', config: SMTP, ...more })).id)
  }
  return { workspaceId, ids }
}

const choose = (workspaceId: string, integrationId: string | null = null) =>
  inTransaction(pool, workspaceId, (tx) => integrationFor(tx, secrets, { workspaceId, integrationId }))

async function chosen(workspaceId: string, integrationId: string | null = null) {
  const choice = await choose(workspaceId, integrationId)
  return choice.outcome === 'found' ? choice.integration.id : choice.reason
}

test('an integration comes with its opened secrets and the lower one of its limits', async () => {
  const { workspaceId, ids } = await workspaceWith({ maxPerSecond: 14, config: { ...SMTP, fromName: 'News' } })
  await queryInScope(pool, workspaceId, {
    text: 'update integrations set quota_per_second = 20, quota_per_day = 300 where workspace_id = $1',
    values: [workspaceId],
  })
  const choice = await choose(workspaceId)
  assert.equal(choice.outcome, 'found')
  if (choice.outcome !== 'found') return
  const { smtp, ses, updatedAt, ...rest } = choice.integration
  assert.deepEqual(rest, {
    ...{ workspaceId, id: ids[0], provider: 'smtp', from: 'a@b.example', fromName: 'News' },
    ...{ perSecond: 14, perDay: 300 },
  })
  assert.deepEqual([smtp?.host, smtp?.port, smtp?.tls, ses], ['h.example', 587, 'starttls', null])
  assert.deepEqual([smtp?.login?.username, smtp?.login?.password.reveal()], ['u', 'geheim'])
  await updateIntegration(deps, callerOf(workspaceId), { id: ids[0]!, body: { name: 'Renamed' } })
  const again = await choose(workspaceId)
  assert.ok(again.outcome === 'found' && again.integration.updatedAt !== updatedAt)
})

test('an account of Amazon SES comes with its keys, a mail server without a login without one', async () => {
  const keys = { region: 'eu-central-1', accessKeyId: 'AKIATEST', secretAccessKey: 'geheim-2' }
  const bare = { kind: 'smtp', host: 'h.example', port: 25, tls: 'none', from: 'a@b.example' }
  const { workspaceId, ids } = await workspaceWith(
    { config: { kind: 'ses', ...keys, from: 'a@b.example' } },
    { config: bare },
  )
  const [ses, smtp] = [await choose(workspaceId, ids[0]), await choose(workspaceId, ids[1])]
  assert.ok(ses.outcome === 'found' && ses.integration.smtp === null && ses.integration.ses !== null)
  assert.deepEqual(
    [ses.integration.ses.region, ses.integration.ses.endpoint, ses.integration.ses.accessKeyId.reveal()],
    ['eu-central-1', null, 'AKIATEST'],
  )
  assert.equal(ses.integration.ses.secretAccessKey.reveal(), 'geheim-2')
  assert.ok(smtp.outcome === 'found' && smtp.integration.smtp?.login === null)
})

test('what was chosen is used; without a choice the default is, or the only one that is enabled', async () => {
  const two = await workspaceWith({}, { isDefault: true }, {})
  assert.equal(await chosen(two.workspaceId), two.ids[1])
  assert.equal(await chosen(two.workspaceId, two.ids[2]), two.ids[2])
  const one = await workspaceWith({ enabled: false }, {}, { enabled: false })
  assert.equal(await chosen(one.workspaceId), one.ids[1])
  assert.equal(await chosen((await workspaceWith({}, {})).workspaceId), 'no_integration')
})

test('what is gone, of another workspace or switched off is not sent through, and nothing replaces it', async () => {
  const { workspaceId, ids } = await workspaceWith({ isDefault: true, enabled: false }, {})
  const other = await workspaceWith({})
  assert.equal(await chosen(workspaceId), 'integration_disabled')
  assert.equal(await chosen(workspaceId, ids[0]), 'integration_disabled')
  assert.equal(await chosen(workspaceId, other.ids[0]), 'no_integration')
  assert.equal(await chosen((await workspaceWith()).workspaceId), 'no_integration')
  assert.equal(
    await chosen((await workspaceWith({ enabled: false }, { enabled: false })).workspaceId),
    'integration_disabled',
  )
})
