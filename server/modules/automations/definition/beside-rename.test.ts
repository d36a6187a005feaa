import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { changeField, declareField } from '../../custom-fields/manage-fields.ts'
import { refuseRename } from './automations-naming.ts'
import { checkReferences } from './check-references.ts'
import { insertAutomation } from './queries.ts'
import { readDefinition } from './read-definition.ts'

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
const deps = { sql: pool, enqueueRewrite: async () => undefined, onKeyChange: refuseRename, usedBy: async () => [] }

/** Checks and keeps an automation in the transaction of its save; answers what was wrong with it. */
async function save(tx: Transaction, { on, set }: { on: object[]; set: object }) {
  const nodes = { set: { type: 'field', set, to: 'end' } }
  const draft = { format: 1, enter: { on, again: { mode: 'once' } }, start: 'set', nodes }
  const { faults, segmentIds } = await checkReferences(tx, workspaceId, readDefinition(draft).definition)
  const row = { name: 'Sets', draft: JSON.stringify(draft), steps: null, scenarios: '[]', segmentIds }
  if (faults.length === 0) await insertAutomation(tx, workspaceId, row)
  return faults.map(({ detail }) => detail)
}

test('a custom field that an automation names which is being saved is not renamed', async () => {
  const { id } = await declareField(deps, caller, { key: 'plan', type: 'string' })
  const saving = await openTransaction(
    pool,
    (tx) => save(tx, { on: [{ event: 'asked' }], set: { plan: 'gold' } }),
    workspaceId,
  )
  const renamed = assert.rejects(changeField(deps, caller, { id, change: { key: 'tier' } }), { statusCode: 422 })
  renamed.catch(() => undefined)
  await Promise.race([renamed.catch(() => undefined), somebodyWaits(pool)])
  await saving.commit()
  await renamed
  assert.deepEqual(saving.value, [])
  const keys = await queryInScope(pool, workspaceId, {
    text: 'select key from custom_fields where workspace_id = $1',
    values: [workspaceId],
  })
  assert.deepEqual(keys, [{ key: 'plan' }])
})

test('an automation does not begin by a date whose custom field gets another key meanwhile', async () => {
  const { id } = await declareField(deps, caller, { key: 'born', type: 'date' })
  let saved: Promise<string[]> | undefined
  const enqueueRewrite = async () => {
    saved = inTransaction(pool, workspaceId, (tx) => save(tx, { on: [{ date: 'born' }], set: {} }))
    await Promise.race([saved, somebodyWaits(pool)])
  }
  await changeField({ ...deps, enqueueRewrite }, caller, { id, change: { key: 'birthday' } })
  assert.deepEqual(await saved, ['is not a custom field of this workspace'])
})
