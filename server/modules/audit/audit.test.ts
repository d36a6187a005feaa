import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { createPool } from '../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { type AuditSearch, listAudit } from './list-audit.ts'
import { type AuditFilters, auditEntriesForStatement } from './queries.ts'
import { type AuditOrigin, diffOf, recordAudit, recordSystemAudit } from './record-audit.ts'

let database: TestDatabase
let sql: ReturnType<typeof createPool>

before(async () => {
  database = await createTestDatabase()
  sql = createPool({ name: 'sql', url: database.url, max: 4 })
  await sql.query("insert into workspaces (slug, name) values ('one', 'One'), ('two', 'Two'), ('full', 'Full')")
})
after(async () => {
  await sql.end()
  await database.drop()
})

function originOf(kind: 'user' | 'api_token' | 'operator', workspaceId = '1'): AuditOrigin {
  const id = kind === 'operator' ? null : '7'
  return {
    workspaceId,
    actor: { kind, id, name: kind },
    requestId: `request-${kind}`,
    ip: '192.0.2.1',
    userAgent: 'test',
  }
}

const list = (search: Partial<AuditSearch> = {}, workspaceId = '1') =>
  listAudit({ sql, edition: 'enterprise' }, workspaceId, { limit: 100, ...search })

const actionsOf = async (search: Partial<AuditSearch>) => (await list(search)).items.map(({ action }) => action)

async function record(): Promise<void> {
  const target = (type: string, id: string) => ({ type, id, name: null })
  const one = (origin: AuditOrigin, action: string, of: ReturnType<typeof target>) =>
    inTransaction(sql, origin.workspaceId, (tx) =>
      recordAudit(tx, origin, { action, target: of, diff: { a: { from: 1, to: 2 } } }),
    )
  await one(originOf('user'), 'thing.create', target('thing', '1'))
  await one(originOf('api_token'), 'thing.update', target('thing', '2'))
  await one({ ...originOf('operator'), ip: null }, 'other.create', target('other', '1'))
  await inTransaction(sql, ALL_WORKSPACES, (tx) =>
    recordSystemAudit(tx, '1', { action: 'other.delete', target: target('other', '2') }),
  )
  await one(originOf('user', '2'), 'thing.create', target('thing', '1'))
}

test('each filter finds its entries of this workspace, newest first, and they combine', async () => {
  await record()
  assert.deepEqual(await actionsOf({}), ['other.delete', 'other.create', 'thing.update', 'thing.create'])
  assert.deepEqual(await actionsOf({ actorKind: 'api_token' }), ['thing.update'])
  assert.deepEqual(await actionsOf({ actorId: '7' }), ['thing.update', 'thing.create'])
  assert.deepEqual(await actionsOf({ actorKind: 'user', actorId: '7' }), ['thing.create'])
  assert.deepEqual(await actionsOf({ actorKind: 'operator', actorId: '7' }), ['other.create'])
  assert.deepEqual(await actionsOf({ action: 'thing.create' }), ['thing.create'])
  assert.deepEqual(await actionsOf({ targetType: 'other' }), ['other.delete', 'other.create'])
  assert.deepEqual(await actionsOf({ targetId: '2' }), ['other.delete', 'thing.update'])
  assert.deepEqual(await actionsOf({ targetType: 'other', targetId: '2' }), ['other.delete'])
  assert.deepEqual(await actionsOf({ ip: '192.0.2.1' }), ['thing.update', 'thing.create'])
  assert.deepEqual(await actionsOf({ requestId: 'request-operator' }), ['other.create'])
  const [, , second] = (await list()).items
  assert.equal((await list({ from: second?.occurredAt ?? '' })).items.length, 3)
  assert.deepEqual(await actionsOf({ to: second?.occurredAt ?? '' }), ['thing.create'])
  assert.deepEqual(second?.diff, { a: { from: 1, to: 2 } })
})

test('pages follow each other without gap or repeat while entries are added, and the last one says so', async () => {
  await inTransaction(sql, '2', async (tx) => {
    for (let id = 0; id < 24; id += 1) {
      await recordAudit(tx, originOf('user', '2'), {
        action: 'row.create',
        target: { type: 'row', id: String(id), name: null },
      })
    }
  })
  const seen: (string | null)[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 7, ...(cursor ? { cursor } : {}) }, '2')
    seen.push(...page.items.map(({ target }) => target.id))
    cursor = page.nextCursor
    await inTransaction(sql, '2', (tx) =>
      recordSystemAudit(tx, '2', { action: 'late.add', target: { type: 'late', id: null, name: null } }),
    )
  } while (cursor)
  assert.deepEqual(seen, [...Array.from({ length: 24 }, (_, index) => String(23 - index)), '1'])
})

test('a cursor that is not ours is a bad cursor', async () => {
  const forged = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url')
  for (const cursor of [
    '',
    'x',
    forged({}),
    forged(['now', '1']),
    forged(['2026-13-41T00:00:00Z', '1']),
    forged(['2026-01-01T00:00:00Z', "1'"]),
  ]) {
    await assert.rejects(list({ cursor }), (error) => error instanceof Problem && error.code === 'bad-cursor')
  }
})

test('the community edition records the log but does not show it', async () => {
  const read = listAudit({ sql, edition: 'community' }, '1', { limit: 1 })
  await assert.rejects(read, (error) => error instanceof Problem && error.statusCode === 402)
})

test('entries are never changed', async () => {
  const change = queryInScope(sql, '1', { text: "update audit_entries set action = 'a.b'" })
  await assert.rejects(change, /never changed/)
})

test('an entry is recorded with what it records, or not at all', async () => {
  const count = (await list()).items.length
  const failing = inTransaction(sql, '1', async (tx) => {
    await recordAudit(tx, originOf('user'), { action: 'thing.create', target: { type: 'thing', id: null, name: null } })
    throw new Error('the change fails')
  })
  await assert.rejects(failing, /the change fails/)
  assert.equal((await list()).items.length, count)
})

test('every filter walks its own index instead of the log', async () => {
  await withClient(database.superuserUrl, (client) =>
    client.query(`insert into audit_entries (workspace_id, actor_kind, actor_id, action, target_type, target_id, ip,
        request_id, occurred_at, sequence, seal)
      select 3, case when n % 5000 = 0 then 'operator' else 'user' end, (n % 500)::text, 'a.v' || chr(97 + n % 20),
        't' || n % 20, n::text, '192.0.2.' || n % 250, 'r' || n, now() - n * interval '1 second', seq, seal
      from generate_series(1, 20020) n,
        lateral (select n - 20 as seq, sha256('') as seal where n > 20 union all select null, null where n <= 20) sealed`),
  )
  await sql.query('analyze audit_entries')
  const indexOf: [index: string, filter: AuditFilters][] = [
    ['audit_by_time', {}],
    ['audit_by_time', { from: '2020-01-01T00:00:00Z' }],
    ['audit_by_time', { to: '2100-01-01T00:00:00Z' }],
    ['audit_by_actor_kind', { actorKind: 'operator' }],
    ['audit_by_actor', { actorId: '3' }],
    ['audit_by_action', { action: 'a.vc' }],
    ['audit_by_target_type', { targetType: 't3' }],
    ['audit_by_target', { targetId: '9' }],
    ['audit_by_ip', { ip: '192.0.2.9' }],
    ['audit_by_request', { requestId: 'r77' }],
  ]
  for (const [index, filters] of indexOf) {
    const { text, values = [] } = auditEntriesForStatement({ workspaceId: '3', filters, before: undefined, limit: 25 })
    const plan = await queryInScope<{ 'QUERY PLAN': string }>(sql, '3', { text: `explain (analyze) ${text}`, values })
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(lines, new RegExp(`Index Scan using ${index} on`), `${JSON.stringify(filters)}\n${lines}`)
    // The twenty that wait for their seal are all that is ever sorted.
    assert.match(lines, /Index Scan using audit_unsealed on/, lines)
    assert.doesNotMatch(lines, /Seq Scan|Rows Removed by Filter: \d{3}/, lines)
    assert.equal(lines.match(/Sort {2}\(cost/g)?.length, 1, lines)
  }
})

test('a diff names what changed, and hides what is secret', () => {
  const before = { name: 'a', url: 'x', secret: 's', tags: ['a'] }
  const after = { name: 'b', url: 'x', secret: 't', tags: ['a'] }
  assert.deepEqual(diffOf(before, after, { hidden: ['secret'] }), { name: { from: 'a', to: 'b' }, secret: 'changed' })
  assert.deepEqual(diffOf(undefined, { name: 'a' }), { name: { from: null, to: 'a' } })
  assert.deepEqual(diffOf({ name: 'a' }, undefined), { name: { from: 'a', to: null } })
})
