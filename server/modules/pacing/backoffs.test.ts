import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { activeBackoffs, backOff, clearBackoffs, pruneBackoffs } from './backoffs.ts'

const { pool, workspaceId } = await testWorkspace()

const scoped = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const [integrationId, otherId] = await scoped(async (tx) => {
  const { rows } = await tx.query<{ id: string }>(
    `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
     select $1, 'relay', 'email', 'smtp', true, false, 'a@example.com', 'mail.example.com', 587, 'starttls'
     from generate_series(1, 2) returning id`,
    [workspaceId],
  )
  return rows.map(({ id }) => id) as [string, string]
})

const back = (domain: string) => scoped((tx) => backOff(tx, { workspaceId, integrationId, domain }))
/** Minutes that each domain is still left alone for, the one that has begun included. */
const active = async (id = integrationId) => {
  const backoffs = await scoped((tx) => activeBackoffs(tx, workspaceId, id))
  return Object.fromEntries(
    [...backoffs].map(([domain, until]) => [domain, Math.ceil((Date.parse(until) - Date.now()) / 60_000)]),
  )
}
const pass = (seconds: number) =>
  scoped((tx) => tx.query('update domain_backoffs set until = until - make_interval(secs => $1)', [seconds]))

test('a domain is left alone for a minute, by this integration only, however many messages were refused together', async () => {
  await Promise.all(Array.from({ length: 20 }, () => back('slow.example')))
  assert.deepEqual(await active(), { 'slow.example': 1 })
  assert.deepEqual(await active(otherId), {})
})

test('it doubles each time the domain asks again, up to an hour', async () => {
  const minutes: (number | undefined)[] = []
  for (let n = 0; n < 8; n++) {
    await back('again.example')
    const current = (await active())['again.example']!
    minutes.push(current)
    await pass(current * 60 + 1)
  }
  assert.deepEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60])
  assert.equal((await active())['again.example'], undefined)
})

test('a message that was taken, or an hour of rest, makes the next one short again', async () => {
  await back('again.example')
  assert.equal((await active())['again.example'], 60)
  await scoped((tx) => clearBackoffs(tx, workspaceId, integrationId, ['again.example']))
  assert.equal((await active())['again.example'], undefined)
  await back('again.example')
  assert.equal((await active())['again.example'], 1)
  await pass(60 + 3_601)
  await back('again.example')
  assert.equal((await active())['again.example'], 1)
})

test('what makes no difference any more is removed', async () => {
  const count = () => scoped(async (tx) => (await tx.query('select from domain_backoffs')).rowCount)
  await back('old.example')
  await pass(3_500)
  await scoped(pruneBackoffs)
  assert.ok((await count())! > 0)
  await pass(3_700)
  await scoped(pruneBackoffs)
  assert.equal(await count(), 0)
})
