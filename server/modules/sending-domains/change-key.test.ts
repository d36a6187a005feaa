import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { updateDomain } from './change-key.ts'
import { createDomain } from './manage-domains.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const keyBox = { ...secretBox(secretKeys([{ id: 'a', key: Buffer.alloc(32, 'a') }])), renew: () => undefined }
const deps = { sql: pool, keyBox, enqueueCheck: async () => undefined }

test('a selector that was changed by somebody else, while it was asked for, is given to the domain all the same', async () => {
  const { id } = await createDomain(deps, caller, { domain: 'twice.example.com', dkimSelector: 'first' })
  const other = await pool.connect()
  try {
    await other.query(`begin; set local postroom.workspace = '*'`)
    await other.query('select from sending_domains where id = $1 for update', [id])
    const asked = updateDomain(deps, caller, { id, change: { dkimSelector: 'first' }, ifMatch: undefined })
    await eventually('it waits for the other one', async () => {
      const { rows } = await pool.query(`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`)
      return rows.length > 0
    })
    await other.query(`update sending_domain_keys set selector = 'second' where workspace_id = ${workspaceId}`)
    await other.query('commit')
    assert.equal((await asked).dkimSelector, 'first')
  } finally {
    other.release()
  }
})
