import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createLinkKeys, KEY_AGE_MAX_DAYS, rotateLinkKeys } from './link-keys.ts'
import { makeToken, readToken } from './link-token.ts'

const { database, pool } = await testWorkspace()
const instanceKey = { id: 'k1', key: randomBytes(32) }
const keys = secretKeys([instanceKey])
const process = () => createLinkKeys({ sql: secondProcess(database, { connections: 2 }), keys })

const stored = async () =>
  (await pool.query<{ id: number; secret: string }>('select id, secret from link_keys order by id')).rows
const grow = (days: number) =>
  pool.query('update link_keys set created_at = created_at - make_interval(days => $1)', [days])

test('processes that start together share one key, which is stored sealed', async () => {
  const processes = [process(), process(), process()]
  await Promise.all(processes.map((each) => each.ready()))
  const rows = await stored()
  assert.equal(rows.length, 1)
  assert.match(rows[0]!.secret, /^k1\./)
  const [first, ...others] = processes.map((each) => makeToken(each.current(), 'open', ['1', '2']))
  for (const other of others) assert.equal(other, first)
})

test('a key that has grown old is followed by another, and its links go on working', async () => {
  const before = process()
  await before.ready()
  const token = makeToken(before.current(), 'click', ['1', '2', '0', 'https://example.com/'])
  await rotateLinkKeys({ sql: pool, keys })
  assert.equal((await stored()).length, 1, 'young enough')
  await grow(KEY_AGE_MAX_DAYS + 1)
  await Promise.all([rotateLinkKeys({ sql: pool, keys }), rotateLinkKeys({ sql: pool, keys })])
  assert.equal((await stored()).length, 2, 'one successor, however many ask')
  const after = process()
  await after.ready()
  assert.notEqual(after.current().id, before.current().id)
  assert.deepEqual(await readToken(after, 'click', token), ['1', '2', '0', 'https://example.com/'])
})

test('a process reads the links that another has signed with a key it did not know', async (t) => {
  const old = process()
  await old.ready()
  await grow(KEY_AGE_MAX_DAYS + 1)
  await rotateLinkKeys({ sql: pool, keys })
  const young = process()
  await young.ready()
  const token = makeToken(young.current(), 'open', ['1', '9'])
  const now = performance.now()
  t.mock.method(performance, 'now', () => now + 2_000)
  assert.deepEqual(await readToken(old, 'open', token), ['1', '9'])
})

test('who makes up key ids does not make us ask the database each time', async (t) => {
  const one = createLinkKeys({ sql: pool, keys })
  const query = t.mock.method(pool, 'connect')
  await one.ready()
  assert.equal(query.mock.callCount(), 1)
  for (let id = 1_000; id < 1_100; id++) assert.equal(await one.find(id), undefined)
  assert.equal(query.mock.callCount(), 1)
})

test('after ENCRYPTION_KEY was rotated the keys are sealed under the new one', async () => {
  const before = process()
  await before.ready()
  const token = makeToken(before.current(), 'unsubscribe', ['1', '2', '', 'broadcasts', 'ada@example.com'])
  const second = { id: 'k2', key: randomBytes(32) }
  await rotateLinkKeys({ sql: pool, keys: secretKeys([second, instanceKey]) })
  for (const { secret } of await stored()) assert.match(secret, /^k2\./)
  const after = createLinkKeys({ sql: pool, keys: secretKeys([second]) })
  await after.ready()
  assert.deepEqual(await readToken(after, 'unsubscribe', token), ['1', '2', '', 'broadcasts', 'ada@example.com'])
})
