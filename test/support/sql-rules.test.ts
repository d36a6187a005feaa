import assert from 'node:assert/strict'
import test from 'node:test'
import { migrationFindings, sqlFindings } from './sql-rules.ts'

function messagesFor(files: Record<string, string>): string[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path: `server/${path}`, text: `${text}\n` }))
  return sqlFindings(sources).map(({ path, line, message }) => `${path}:${line} ${message}`)
}

const LONG = '// line\n'.repeat(150)
const USE = "import type { Row } from './queries.ts'"

test('a query file has two users, or one with which it would be too long', () => {
  const lone = { 'modules/x/queries.ts': 'export const a = `select 1`', 'modules/x/do.ts': USE }
  assert.deepEqual(messagesFor(lone), [
    'server/modules/x/queries.ts:1 is used by server/modules/x/do.ts alone: its statements stand there, below what uses them',
  ])
  assert.deepEqual(messagesFor({ ...lone, 'modules/x/do.ts': USE + LONG }), [])
  assert.deepEqual(messagesFor({ ...lone, 'modules/x/other.ts': USE }), [])
  assert.equal(messagesFor({ ...lone, 'modules/x/do.test.ts': USE }).length, 1, 'a test is no user')
})

test('what declares has no statements', () => {
  const [routes, rest] = messagesFor({
    'modules/x/x-routes.ts': '\n`select a from b`',
    'modules/x/do.ts': '`select 1`',
  })
  assert.match(routes!, /^server\/modules\/x\/x-routes\.ts:2 has a statement: x-routes\.ts declares/)
  assert.equal(rest, undefined)
  for (const name of ['module', 'site', 'schemas']) {
    assert.equal(messagesFor({ [`modules/x/${name}.ts`]: "'delete from a where b'" }).length, 1, name)
  }
  assert.deepEqual(messagesFor({ 'modules/x/api.ts': "summary: 'Selects, updates and deletes things'" }), [])
})

test('tables that are the platform’s own are named by the platform only', () => {
  const text = '`select from outbox_cursors join jobs.job_common on true`'
  const names = messagesFor({ 'modules/x/do.ts': text, 'platform/outbox/do.ts': text, 'modules/x/do.test.ts': text })
  assert.deepEqual(names, [
    "server/modules/x/do.ts:1 names outbox_cursors: its statements are the platform's",
    "server/modules/x/do.ts:1 names jobs.job_common: its statements are the platform's",
  ])
})

test('two migrations with one number are found', () => {
  const files = ['0001_a.sql', '0002_b.sql', '0002_c.sql'].map((name) => ({ path: `migrations/${name}`, text: '' }))
  assert.deepEqual(
    migrationFindings(files).map(({ path }) => path),
    ['migrations/0002_c.sql'],
  )
})

test('a partitioned table is pruned in one way', () => {
  const both = '`update d from c\nwhere d.created_at = c.created_at and d.id = c.id and d.created_at >= $1`'
  const otherWay = '`select from d where created_at < now() and created_at = q.created_at`'
  for (const text of [both, otherWay])
    assert.match(
      messagesFor({ 'modules/x/do.ts': text })[0]!,
      /^server\/modules\/x\/do\.ts:\d compares \S+ by a join and/,
    )
  const apart = '`select from d where d.created_at >= $1), e as (select from d where d.created_at = q.created_at`'
  for (const text of [both.replace('d.created_at = c', 'd.b = c'), both.replace('>= $1', 'is not null'), apart])
    assert.deepEqual(messagesFor({ 'modules/x/do.ts': text }), [])
})
