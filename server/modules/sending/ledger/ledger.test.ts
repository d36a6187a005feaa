import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { sendJobs, takeSendJobs } from '../../../../test/support/turn-jobs.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { openStream, setStreamState } from '../streams.ts'
import { acceptUncertain } from './accept-uncertain.ts'
import { cancelMessages, cancelStream } from './cancel-messages.ts'
import { createMessages, SINGLE } from './create-messages.ts'
import { markMessages } from './mark-messages.ts'
import { planMessages, type Recipient } from './plan-messages.ts'
import { totalsOf } from './read-totals.ts'
import { retryFailed } from './requeue-messages.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
const deps = {
  sql: pool,
}
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })

let n = 0
const contact = async (email: string | null) => (await createContact(deps, caller, { email, subjectId: `s${++n}` })).id
const suppress = (email: string) =>
  rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'bounce')`, [workspaceId, email])
const unsubscribe = (email: string, source: string) =>
  rows('insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, $3)', [
    workspaceId,
    email,
    source,
  ])

const startedAt = new Date().toISOString()
let broadcasts = 0
async function broadcast() {
  const broadcastId = String(++broadcasts)
  const source = { kind: 'broadcast', id: broadcastId } as const
  const stream = await inTx((tx) => openStream(tx, workspaceId, source))
  const plan = (recipients: readonly Recipient[]) =>
    inTx((tx) => planMessages(tx, { ...stream, source, purpose: 'marketing', createdAt: startedAt }, recipients))
  const totals = async () => (await inTx((tx) => totalsOf(tx, workspaceId, [broadcastId]))).get(broadcastId)!
  return { broadcastId, stream, plan, totals }
}
const at = (contactId: string, dueAt: string | null = null) => ({ contactId, dueAt })

test('each recipient is mailed once, whoever must not be mailed is settled with the reason, and the totals fit', async () => {
  const fine = await contact('fine@a.example')
  const none = await contact(null)
  const bounced = await contact('bounced@a.example')
  const out = await contact('out@a.example')
  const all = await contact('all@a.example')
  const other = await contact('other@a.example')
  await suppress('bounced@a.example')
  await unsubscribe('out@a.example', 'broadcasts')
  await unsubscribe('all@a.example', 'everything')
  await unsubscribe('other@a.example', 'automation:7')
  const { plan, totals, stream } = await broadcast()
  await plan([fine, none, bounced].map((id) => at(id)))
  await plan([bounced, out, all, other, fine].map((id) => at(id)))
  const now = await totals()
  // Two that it has already: a message of nobody each.
  assert.deepEqual([now.recipients, now.states.pending, now.states.suppressed, now.states.skipped], [8, 2, 1, 5])
  assert.deepEqual(
    now.reasons.map(({ state, reason, count }) => [state, reason, count]),
    [
      ['skipped', 'contact_gone', 2],
      ['skipped', 'no_email', 1],
      ['skipped', 'unsubscribed_everything', 1],
      ['skipped', 'unsubscribed_source', 1],
      ['suppressed', 'bounce', 1],
    ],
  )
  const queued = await rows('select from message_queue where stream_id = $1', [stream.streamId])
  assert.equal(queued.length, 2)
})

test('with double opt-in only those who agreed are planned', async () => {
  const [agreed, silent] = [await contact('agreed@b.example'), await contact('silent@b.example')]
  await rows('insert into sending_settings (workspace_id, double_opt_in) values ($1, true)', [workspaceId])
  await rows(`insert into contact_consents (workspace_id, contact_id, provenance) values ($1, $2, 'double_opt_in')`, [
    workspaceId,
    agreed,
  ])
  const { plan, totals } = await broadcast()
  await plan([at(agreed), at(silent)])
  const { states, reasons } = await totals()
  assert.deepEqual([states.pending, states.skipped, reasons[0]?.reason], [1, 1, 'unconfirmed'])
  await rows('delete from sending_settings')
})

test('canceling takes back what nobody is handing over, claimed or not, and the sum still fits', async () => {
  const ids = await Promise.all(['1', '2', '3', '4'].map((name) => contact(`${name}@c.example`)))
  const { plan, totals, stream } = await broadcast()
  await plan(ids.map((id) => at(id)))
  await rows(
    'update message_queue set slot = 0, turn = 1 where message_id in (select message_id from message_queue order by 1 desc limit 2)',
  )
  await rows(
    'update message_queue set handing_at = now() where message_id = (select max(message_id) from message_queue)',
  )
  await inTx((tx) => setStreamState(tx, { ...stream, state: 'canceled' }))
  assert.equal(await inTx((tx) => cancelStream(tx, stream)), 3)
  const { states, reasons } = await totals()
  assert.deepEqual([states.pending, states.skipped, reasons[0]?.reason], [1, 3, 'canceled'])
  await rows('delete from message_queue')
})

test('failed messages go back to be sent, uncertain ones can be taken for sent', async () => {
  const ids = await Promise.all(['1', '2', '3'].map((name) => contact(`${name}@d.example`)))
  const { plan, totals, stream, broadcastId } = await broadcast()
  await plan(ids.map((id) => at(id)))
  await rows('delete from message_queue')
  const settle = (state: string, reason: string, id: string) =>
    rows('update messages set state = $1, reason = $2 where source_id = $3 and contact_id = $4', [
      state,
      reason,
      broadcastId,
      id,
    ])
  await settle('failed', 'policy_refused', ids[0]!)
  await settle('uncertain', 'process_lost', ids[1]!)
  const step = { ...stream, broadcastId, startedAt, afterId: '0' }
  const first = await inTx((tx) => retryFailed(tx, step))
  assert.equal(first.count, 1)
  assert.deepEqual(await inTx((tx) => acceptUncertain(tx, step)), { count: 1, lastId: first.lastId })
  const rest = { ...step, afterId: first.lastId! }
  assert.deepEqual(await inTx((tx) => retryFailed(tx, rest)), { count: 0, lastId: null })
  assert.deepEqual(await inTx((tx) => acceptUncertain(tx, rest)), { count: 0, lastId: null })
  const { states } = await totals()
  assert.deepEqual([states.pending, states.failed, states.uncertain, states.accepted], [2, 0, 0, 1])
})

test('single messages wake their stream once, are suppressed at once or canceled while they wait', async () => {
  await suppress('no@e.example')
  await takeSendJobs(pool)
  const create = (...to: string[]) =>
    inTx((tx) =>
      createMessages(tx, {
        workspaceId,
        origin: SINGLE.email,
        items: to.map((destination) => ({ contactId: null, destination })),
      }),
    )
  const [yes, no] = await create('yes@e.example', 'no@e.example')
  assert.deepEqual([yes?.state, no?.state, (await sendJobs(pool)).length], ['pending', 'suppressed', 1])
  const [later] = await create('later@e.example')
  assert.equal((await sendJobs(pool)).length, 1, 'the lane is waiting already')
  assert.deepEqual(await inTx((tx) => cancelMessages(tx, workspaceId, [later!.id, no!.id])), [later!.id])
})

test('a mark is noted once, and is evidence that an uncertain message arrived', async () => {
  const id = await contact('mark@f.example')
  const { plan, totals, broadcastId } = await broadcast()
  await plan([at(id)])
  const [message] = await rows('select id from messages where source_id = $1', [broadcastId])
  await rows(`update messages set state = 'uncertain', reason = 'process_lost' where source_id = $1`, [broadcastId])
  const mark = (...kinds: ('opened' | 'clicked')[]) =>
    inTx((tx) =>
      markMessages(
        tx,
        workspaceId,
        kinds.map((kind) => ({ messageId: message!.id, kind })),
      ),
    )
  assert.deepEqual(
    (await mark('opened', 'clicked', 'opened')).map(({ kind, isFirst }) => [kind, isFirst]),
    [
      ['clicked', true],
      ['opened', true],
    ],
  )
  assert.deepEqual(
    (await mark('opened')).map(({ isFirst }) => isFirst),
    [false],
  )
  assert.deepEqual(await inTx((tx) => markMessages(tx, workspaceId, [{ messageId: '900000000', kind: 'opened' }])), [])
  const { states, marks } = await totals()
  assert.deepEqual([states.accepted, states.uncertain, marks.opened, marks.clicked], [1, 0, 1, 1])
})
