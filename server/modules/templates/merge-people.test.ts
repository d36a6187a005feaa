import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { FORMER_KEYS_MAX, formerKeys } from '../custom-fields/former-keys.ts'
import { changeField, declareField, type FieldDeps } from '../custom-fields/manage-fields.ts'
import { rewriteCustomField } from '../custom-fields/rewrite-custom-field.ts'
import { mergePeople } from './merge-people.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const nothing = async () => undefined
const deps: FieldDeps = { sql: pool, enqueueRewrite: nothing, onKeyChange: nothing, usedBy: async () => [] }

test('a value is found under each key that its field has or had, before and after a rename has come to it', async () => {
  const field = await declareField(deps, caller, { key: 'plan', type: 'string' })
  const { id } = await createContact({ sql: pool }, caller, { email: 'a@b.example', customFields: { plan: 'pro' } })
  const blank = await createContact({ sql: pool }, caller, { email: 'c@b.example' })
  const known = async () =>
    (await inTransaction(pool, workspaceId, (tx) => mergePeople(tx, workspaceId, [id, blank.id]))).map(
      ({ customFields }) => customFields,
    )
  const walk = () => rewriteCustomField({ pool }, { workspaceId, fieldId: field.id }, new AbortController().signal)
  const rename = (key: string) => changeField(deps, caller, { id: field.id, change: { key } })

  await rename('tier')
  assert.deepEqual(await known(), [{ plan: 'pro', tier: 'pro' }, {}])
  await walk()
  assert.deepEqual(await known(), [{ plan: 'pro', tier: 'pro' }, {}])
  await rename('level')
  assert.deepEqual(await known(), [{ plan: 'pro', tier: 'pro', level: 'pro' }, {}])
  await walk()
  await rename('plan')
  await walk()
  assert.deepEqual(await known(), [{ plan: 'pro', tier: 'pro', level: 'pro' }, {}])
  await declareField(deps, caller, { key: 'tier', type: 'number' })
  assert.deepEqual(await known(), [{ plan: 'pro', level: 'pro' }, {}])
})

test('a workspace keeps so many former keys, those that were given up last', async () => {
  const field = await declareField(deps, caller, { key: 'now', type: 'string' })
  await queryInScope(pool, workspaceId, {
    text: `insert into custom_field_former_keys (workspace_id, key, field_id, given_up_at)
      select $1, 'before-' || n, $2, now() - make_interval(days => n) from generate_series(1, $3::int) n`,
    values: [workspaceId, field.id, FORMER_KEYS_MAX],
  })
  await changeField(deps, caller, { id: field.id, change: { key: 'then' } })
  const former = await inTransaction(pool, workspaceId, (tx) => formerKeys(tx, workspaceId))
  assert.equal(former.size, FORMER_KEYS_MAX)
  assert.deepEqual(
    [former.get('now'), former.get('before-1'), former.has(`before-${FORMER_KEYS_MAX}`)],
    ['then', 'then', false],
  )
})
