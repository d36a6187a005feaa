import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { readTimeline, timelineOfStatement } from './read-timeline.ts'

const EVENTS = 20_000
const CONTACTS = 50

const { pool, workspaceId, caller } = await testWorkspace()
await ensureAllPartitions(pool)
const contact = await createContact({ sql: pool }, caller, { subjectId: 'reader' })

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

test('a page deep in a timeline reads its own events only, by the index of contacts', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
      select $1, n, now(), 'event.recorded', 'visit', '', $2::bigint + n % $4, '{}', now() from generate_series(1, $3) n`,
    values: [workspaceId, contact.id, EVENTS, CONTACTS],
  })
  // Plans as for any number of rows, whatever was analysed when.
  for (const beforeId of [undefined, String(EVENTS / 2), '2000']) {
    const { text, values } = timelineOfStatement(workspaceId, { contactId: contact.id, beforeId, limit: 26 })
    const plan = await inTransaction(pool, workspaceId, async (tx) => {
      await tx.query('set local enable_seqscan = off; set local enable_sort = off')
      const { rows } = await tx.query(`explain (analyze, format json) ${text}`, values)
      return JSON.parse(rows[0]!['QUERY PLAN'])[0].Plan as Plan
    })
    const scans = nodes(plan).filter((node) => node['Node Type'].includes('Scan'))
    const read = scans.reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0)
    assert.ok(read <= 30, `${read} rows read for 26: ${JSON.stringify(plan)}`)
    assert.ok(
      scans.every((node) => node['Index Name']?.includes('contact')),
      JSON.stringify(scans),
    )
  }
})

test('pages follow each other without a gap to the oldest event', async () => {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await readTimeline(pool, workspaceId, { contactId: contact.id, cursor, limit: 99 })
    ids.push(...page.items.map(({ id }) => id))
    cursor = 'nextCursor' in page ? page.nextCursor : undefined
  } while (cursor)
  assert.equal(ids.length, EVENTS / CONTACTS)
  assert.deepEqual(
    ids,
    ids
      .map(Number)
      .sort((a, b) => b - a)
      .map(String),
  )
})
