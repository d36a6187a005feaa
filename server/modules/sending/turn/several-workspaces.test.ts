import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { takeAllowance } from '../../pacing/daily-allowance.ts'
import { planMessages } from '../ledger/plan-messages.ts'
import { openStream } from '../streams.ts'
import { recordResults, type SendResult } from './record-results.ts'

const { pool, workspaceId } = await testWorkspace({ connections: 6 })
await migrateJobs(pool, ['default'])

/** A result of a message that a turn of the workspace has claimed. */
async function resultIn(workspaceId: string): Promise<SendResult> {
  const integrationId = await storeIntegration(pool, workspaceId, { port: 25 })
  const { id: contactId } = await createContact({ sql: pool }, callerOf(workspaceId), { email: 'p@people.example' })
  const source = { kind: 'automation', id: '1' } as const
  const createdAt = new Date().toISOString()
  return inTransaction(pool, workspaceId, async (tx) => {
    const { streamId } = await openStream(tx, workspaceId, source)
    const plan = { workspaceId, source, purpose: 'marketing', createdAt, streamId } as const
    const [{ id } = assert.fail()] = await planMessages(tx, plan, [{ contactId, dueAt: null }])
    await takeAllowance(tx, { workspaceId, integrationId, perDay: null, wanted: 1 })
    await tx.query('update message_queue set slot = 0, turn = 1, integration_id = $2 where message_id = $1', [
      ...[id, integrationId],
    ])
    const claim = { id, createdAt, streamId, workspaceId, slot: 0, turn: '1', integrationId, destination: '' } as never
    const verdict = { verdict: 'failed', reason: 'render_failed', cause: 'no template', bounce: null } as const
    return { claim, verdict, provider: 'smtp', sendingDomain: null, reply: null, clearsBackoff: false }
  })
}

const allowance = (of: string) => ({
  text: 'select from send_allowances where workspace_id = $1 for update nowait',
  values: [of],
})

test('results of several workspaces hold the allowances of each in one order, whichever came first', async () => {
  const later = await createWorkspace(pool)
  const results = [await resultIn(later), await resultIn(workspaceId)]
  const holding = await openTransaction(pool, (tx) => tx.query(allowance(workspaceId)), workspaceId)
  const recorded = recordResults(pool, results)
  recorded.catch(() => undefined)
  await somebodyWaits(pool)
  await queryInScope(pool, later, allowance(later))
  await holding.commit()
  assert.equal((await recorded).length, 2)
})
