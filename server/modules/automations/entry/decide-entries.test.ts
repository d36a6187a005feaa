import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { decideEntries } from './decide-entries.ts'

const { pool, workspaceId } = await testWorkspace()
const made = async (text: string, ...values: unknown[]) =>
  (await queryInScope<{ id: string }>(pool, workspaceId, { text, values: [workspaceId, ...values] }))[0]!.id

test('a gap is over at its end, and not a microsecond before', async () => {
  const contactId = await made(`insert into contacts (workspace_id, email) values ($1, 'ada@example.com') returning id`)
  const automationId = await made(
    `insert into automations (workspace_id, name, draft, entry_open, published_version) values ($1, 'Gap', '{}', true, 1) returning id`,
  )
  await made(
    `insert into enrollments (workspace_id, automation_id, contact_id, entry_key, entries, entered_at)
     values ($1, $2, $3, '', 1, now()) returning automation_id as id`,
    ...[automationId, contactId],
  )
  const again = { mode: 'gap', key: null, gap: { months: 0, days: 0, ms: 7_200_000 } }
  const definition = { enter: { on: [{ manual: true }], if: null, again, holdout: 0 } } as never
  const comesAt = async (dueAt: string) => {
    const deciding = {
      ...{ workspaceId, automationId, definition, now: dueAt, liveKeysOf: () => [] },
      ...{ ruleHolds: async () => new Set<string>(), gapEnd: () => '2026-03-01T12:00:00.000007Z' },
    }
    const wanting = { contactId, position: '-1', dueAt, depth: 0, entryKey: null }
    const [decision] = await inTransaction(pool, workspaceId, (tx) => decideEntries(tx, deciding, [wanting]))
    return decision!.verdict.entered
  }
  assert.equal(await comesAt('2026-03-01T12:00:00.000006Z'), false)
  assert.equal(await comesAt('2026-03-01T12:00:00.000007Z'), true)
})
