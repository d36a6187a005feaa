import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets, testSender } from '../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import type { Caller } from '../auth/caller.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import { askApproval } from './ask-approval.ts'
import { approve } from './decide-approval.ts'

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
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

test('of two alike requests that a token without a policy makes at once there is one, and one mail by it', async () => {
  const [token] = await rows<{ id: string }>(
    `insert into api_tokens (workspace_id, name, public_id, hash, scopes)
      values ($1, 'agent', 'abcdefghijkl', $2, '{emails:send}') returning id`,
    [randomBytes(32)],
  )
  const agent: Caller = { ...caller, actor: { kind: 'api_token', id: token!.id, name: 'agent' } }
  const { id: templateId } = await createTemplate(deps, caller, { name: 'T', subject: 'Hello', body: '<p>Hello</p>' })
  const { id: contactId } = await createContact(deps, caller, { email: 'ann@people.example' })
  const ask = () => askApproval(deps, agent, { act: 'email', templateId, contactId })
  // The writing of a request waits, so that both have looked for the same one before it is there.
  const stalling = await openTransaction(pool, (tx) =>
    tx.query('select from workspaces where id = $1 for update', [workspaceId]),
  )
  const asked = [ask(), ask()]
  for (const one of asked) one.catch(() => undefined)
  await somebodyWaits(pool, 2)
  await stalling.commit()
  const ids = (await Promise.all(asked)).map(({ id }) => id)
  const approved = await Promise.allSettled(ids.map((id) => approve(deps, caller, { id })))
  assert.deepEqual(approved.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal((await rows('select from emails where workspace_id = $1')).length, 1, 'mails')
  assert.equal(new Set(ids).size, 1)
})
