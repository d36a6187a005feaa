import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendJobs } from '../../../test/support/turn-jobs.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { queueTestMails } from './queue-test-mail.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = (text: string) => queryInScope(pool, workspaceId, { text, values: [workspaceId] })
const mail = {
  destination: 'team@example.com',
  subject: '[Test] Hello, Alex',
  html: '<p>{{ as it is }}</p>',
  text: null,
  fromEmail: null,
  fromName: 'Ada',
  oneClickUrl: null,
}

test('a test mail is queued with what it says, also to somebody who is suppressed', async () => {
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, 'team@example.com', 'manual')`)
  const [id] = await inTransaction(pool, workspaceId, (tx) => queueTestMails(tx, workspaceId, [mail]))
  assert.deepEqual(
    await rows(
      `select m.id, m.source_kind, m.state, m.destination, e.subject, e.html, e.text, e.from_name as "fromName"
       from messages m join emails e on e.workspace_id = m.workspace_id and e.message_id = m.id and e.created_at = m.created_at
       where m.workspace_id = $1`,
    ),
    [
      {
        id,
        source_kind: 'test',
        state: 'pending',
        destination: 'team@example.com',
        subject: mail.subject,
        html: mail.html,
        text: null,
        fromName: 'Ada',
      },
    ],
  )
  assert.equal((await rows('select from message_queue where workspace_id = $1')).length, 1)
  assert.equal((await sendJobs(pool)).length, 1)
})

test('nothing of it is there when its cause is not committed', async () => {
  const before = await rows('select from emails where workspace_id = $1')
  const failing = inTransaction(pool, workspaceId, async (tx) => {
    await queueTestMails(tx, workspaceId, [mail])
    throw new Error('not after all')
  })
  await assert.rejects(failing, /not after all/)
  assert.equal((await rows('select from emails where workspace_id = $1')).length, before.length)
})
