import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { storeIntegration, testSecrets } from '../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { takeAllowance } from '../pacing/daily-allowance.ts'
import { deleteIntegration } from './delete-integration.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { updateIntegration } from './update-integration.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, secrets: testSecrets() } as unknown as IntegrationDeps

test('an integration is changed beside turns that claim mail for it, and deleted behind them', async () => {
  const id = await storeIntegration(pool, workspaceId, { port: 25 })
  const claim = { workspaceId, integrationId: id, perDay: null, wanted: 1 }
  const claiming = await openTransaction(pool, (tx) => takeAllowance(tx, claim), workspaceId)
  const { maxPerSecond } = await updateIntegration(deps, caller, { id, body: { maxPerSecond: 5 } })
  assert.equal(maxPerSecond, 5)
  const deleting = deleteIntegration(deps, caller, { id })
  await somebodyWaits(pool)
  await claiming.commit()
  await deleting
  assert.equal(await inTransaction(pool, workspaceId, (tx) => takeAllowance(tx, claim)), undefined)
})
