import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { moveConsent } from './move-consent.ts'
import { type ConsentFacts, type Provenance, recordConsents } from './record-consents.ts'

const { pool } = await testWorkspace()
const TIMES = ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'] as const

async function people(count: number): Promise<{ workspaceId: string; ids: string[] }> {
  const workspaceId = await createWorkspace(pool)
  const rows = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into contacts (workspace_id, subject_id) select $1, 's' || n from generate_series(1, $2) n returning id`,
    values: [workspaceId, count],
  })
  return { workspaceId, ids: rows.map((row) => row.id) }
}

const record = (workspaceId: string, contactId: string, facts: ConsentFacts, provenance: Provenance = 'imported') =>
  inTransaction(pool, workspaceId, (tx) => recordConsents(tx, workspaceId, [{ contactId, provenance, facts }]))

const known = (workspaceId: string) =>
  queryInScope<Record<string, string | null>>(pool, workspaceId, {
    text: `select contact_id as id, provenance, opted_in_at as opted, host(opt_in_ip) as ip, confirmed_at as confirmed
      from contact_consents where workspace_id = $1 order by contact_id`,
    values: [workspaceId],
  })

test('of what is known of a consent nothing is overwritten, and blanks are filled', async () => {
  const { workspaceId, ids } = await people(1)
  const [id] = ids as [string]
  await record(workspaceId, id, { confirmedAt: TIMES[0] }, 'double_opt_in')
  await record(workspaceId, id, { confirmedAt: TIMES[1], optInIp: '2001:db8::1' })
  assert.deepEqual(await known(workspaceId), [
    { id, provenance: 'double_opt_in', opted: null, ip: '2001:db8::1', confirmed: TIMES[0] },
  ])
})

test('a contact takes over the consent of the one that becomes part of it', async () => {
  const { workspaceId, ids } = await people(4)
  const [first, second, third, fourth] = ids as [string, string, string, string]
  await record(workspaceId, first, { optedInAt: TIMES[0] })
  await record(workspaceId, second, { optedInAt: TIMES[1], confirmedAt: TIMES[1] }, 'double_opt_in')
  await record(workspaceId, third, { optInIp: '192.0.2.1' })
  const move = (fromId: string, toId: string) =>
    inTransaction(pool, workspaceId, (tx) => moveConsent(tx, workspaceId, { fromId, toId }))
  await move(second, first)
  await move(third, fourth)
  await move(second, fourth)
  assert.deepEqual(await known(workspaceId), [
    { id: first, provenance: 'double_opt_in', opted: TIMES[0], ip: null, confirmed: TIMES[1] },
    { id: fourth, provenance: 'imported', opted: null, ip: '192.0.2.1', confirmed: null },
  ])
})
