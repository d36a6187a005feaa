import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalWorld } from '../../../test/support/approval-world.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import { askApproval } from './ask-approval.ts'
import { approve } from './decide-approval.ts'

const { pool, workspaceId, caller, deps, rows, agent } = await approvalWorld('emails:send')

test('of two alike requests that a token without a policy makes at once there is one, and one mail by it', async () => {
  const { id: templateId } = await createTemplate(deps, caller, { name: 'T', subject: 'Hello', body: '<p>Hello</p>' })
  const { id: contactId } = await createContact(deps, caller, { email: 'ann@people.example' })
  const ask = () => askApproval(deps, agent, { act: 'email', templateId, contactId })
  // The writing of a request waits, so that both have looked for the same one before it is there.
  const stalling = await openTransaction(pool, (tx) =>
    tx.query('select from workspaces where id = $1 for update', [workspaceId]),
  )
  const asked = [ask(), ask()]
  for (const one of asked) one.catch(() => undefined)
  await somebodyWaits(pool, 2)
  await stalling.commit()
  const ids = (await Promise.all(asked)).map(({ id }) => id)
  const approved = await Promise.allSettled(ids.map((id) => approve(deps, caller, { id })))
  assert.deepEqual(approved.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal((await rows('select from emails where workspace_id = $1')).length, 1, 'mails')
  assert.equal(new Set(ids).size, 1)
})
