import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type pg from 'pg'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { everybodyPage, matchingPage, searched, searchFor, taggedPage, withFields, withTag } from './list-queries.ts'

/*
 * Every list finds its rows by an index, begun with the workspace. With 20,000 contacts reading a whole table would be
 * cheap enough to be chosen where an index is missing: the last test takes each index away to see that it is noticed.
 */

const { pool, workspaceId } = await testWorkspace()
const CONTACTS = 20_000
const TAGS = 4_000
const FILL_TIMEOUT_MS = 60_000
const PAGE = { page: 3, pageSize: 25 }

before(async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into contacts (workspace_id, subject_id, email, phone, updated_at)
      select $1, 'user-' || n, md5(n::text) || '@example.com', '+' || n, now() - n * interval '1 minute'
      from generate_series(1, ${CONTACTS}) n`,
    values: [workspaceId],
    query_timeout: FILL_TIMEOUT_MS,
  } as pg.QueryConfig)
  await queryInScope(pool, workspaceId, {
    text: `with tag as (insert into tags (workspace_id, name) select $1, 'tag ' || n from generate_series(1, ${TAGS}) n returning id)
      insert into contact_tags (workspace_id, tag_id, contact_id)
      select $1, tag.id, c.id from tag join contacts c on c.id % ${TAGS} = tag.id % ${TAGS}`,
    values: [workspaceId],
    query_timeout: FILL_TIMEOUT_MS,
  } as pg.QueryConfig)
  for (const table of ['contacts', 'contact_search', 'tags', 'contact_tags'])
    await pool.query(`vacuum analyze ${table}`)
})

type Statement = { text: string; values: unknown[] }
type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}
type Case = { list: string; statement: Statement; search?: string; indexes: string[] }

const fields = (filter: Parameters<typeof withFields>[1]) => withFields(workspaceId, filter)
const matching = (...sets: Parameters<typeof matchingPage>[1]) => matchingPage(workspaceId, sets, PAGE)
const recently = new Date(Date.now() - 600_000).toISOString()
const CASES: readonly Case[] = [
  { list: 'everybody', statement: everybodyPage(workspaceId, PAGE), indexes: ['contacts_pkey'] },
  { list: 'tag', statement: taggedPage(workspaceId, 'tag 7', PAGE), indexes: ['contact_tags_pkey', 'tags_name_taken'] },
  { list: 'email', statement: matching(fields({ email: 'a@example.com' })), indexes: ['contacts_email_taken'] },
  { list: 'subjectId', statement: matching(fields({ subjectId: 'user-7' })), indexes: ['contacts_subject_id_taken'] },
  { list: 'phone', statement: matching(fields({ phone: '+7' })), indexes: ['contacts_phone_taken'] },
  {
    list: 'updatedSince',
    statement: matching(fields({ updatedSince: recently })),
    indexes: ['contacts_by_update'],
  },
  { list: 'search', statement: matching(searched(workspaceId)), search: 'c4ca4238', indexes: ['contact_search_text'] },
  {
    list: 'search and tag',
    statement: matching(searched(workspaceId), withTag(workspaceId, 'tag 7')),
    search: 'c4ca4238',
    indexes: ['contact_tags_pkey', 'contact_search_pkey'],
  },
  {
    list: 'updatedSince and tag',
    statement: matching(fields({ updatedSince: recently }), withTag(workspaceId, 'tag 7')),
    indexes: ['contacts_by_update', 'contact_tags_pkey'],
  },
]

async function nodesOf(tx: Transaction, { statement, search }: Case): Promise<Plan[]> {
  if (search !== undefined) await tx.query(searchFor(search))
  const { rows } = await tx.query<{ 'QUERY PLAN': string }>({
    text: `explain (format json) ${statement.text}`,
    values: statement.values,
  })
  const [{ Plan: root }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Plan }]
  const nodes: Plan[] = []
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop()!
    nodes.push(node)
    waiting.push(...(node.Plans ?? []))
  }
  return nodes
}

/** Counters are a handful of rows: how they are read does not matter. */
const COUNTERS = ['row_counts', 'tag_counts']

function assertIndexed(nodes: readonly Plan[], { list, indexes }: Case): void {
  const shown = JSON.stringify(nodes.map(({ Plans: _, ...node }) => node))
  const read = nodes.filter(
    (node) => node['Node Type'] === 'Seq Scan' && !COUNTERS.includes(node['Relation Name'] ?? ''),
  )
  assert.deepEqual(read, [], `${list} reads a whole table`)
  const scans = nodes.filter((node) => node['Index Name'] !== undefined)
  for (const index of indexes) {
    const scan = scans.find((node) => node['Index Name'] === index)
    assert.ok(scan, `${list} does not use ${index}: ${shown}`)
  }
  for (const scan of scans) {
    assert.match(scan['Index Cond'] ?? '', /workspace_id = /, `${list} uses ${scan['Index Name']} of every workspace`)
  }
}

for (const one of CASES) {
  test(`the list by ${one.list} uses its index`, async () => {
    await inTransaction(pool, workspaceId, async (tx) => assertIndexed(await nodesOf(tx, one), one))
  })
}

test('a plan made once for every page uses the index too', async () => {
  for (const one of CASES.slice(0, 2)) {
    await inTransaction(pool, workspaceId, async (tx) => {
      await tx.query('set local plan_cache_mode = force_generic_plan')
      await tx.query(`prepare page as ${one.statement.text}`)
      const given = one.statement.values.map((value) => `'${value}'`).join()
      assertIndexed(await nodesOf(tx, { ...one, statement: { text: `execute page(${given})`, values: [] } }), one)
      await tx.query('deallocate page')
    })
  }
})

test('a missing index is noticed', async () => {
  const needed = CASES.flatMap((one) => one.indexes.map((index) => ({ one, index })))
  for (const { one, index } of needed) {
    const trial = inTransaction(pool, workspaceId, async (tx) => {
      const { rows } = await tx.query<{ constraint: string }>(
        'select conname as constraint from pg_constraint where conindid = $1::regclass',
        [index],
      )
      const table = /^(contacts|contact_tags|contact_search|tags)(?=_)/.exec(index)?.[0]
      await tx.query(
        rows.length > 0 ? `alter table ${table} drop constraint ${index} cascade` : `drop index ${index} cascade`,
      )
      assertIndexed(await nodesOf(tx, one), one)
    })
    await assert.rejects(trial, assert.AssertionError, `${one.list} without ${index}`)
  }
})
