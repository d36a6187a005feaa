import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { MESSAGE_STATES } from '../sending/message-states.ts'
import { emailStatusOf, emailStatusSql } from './email-status.ts'

const { pool } = await testWorkspace()

test('the database calls every state what the program calls it', async () => {
  const { rows } = await pool.query<{ status: string }>(
    `select ${emailStatusSql('state')} as status from unnest($1::text[]) with ordinality as s(state, n) order by n`,
    [MESSAGE_STATES],
  )
  assert.deepEqual(
    rows.map(({ status }) => status),
    MESSAGE_STATES.map(emailStatusOf),
  )
})
