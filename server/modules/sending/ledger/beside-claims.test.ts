import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { HOUR_MS } from '../../../platform/durations.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { beginTurn } from '../../../platform/lanes/turns.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { settleAllowance, takeAllowance } from '../../pacing/daily-allowance.ts'
import { SEND_LANES, type SendTurn } from '../lanes.ts'
import { holdBack } from '../restraint/hold-back.ts'
import { openStream } from '../streams.ts'
import type { Claim } from '../turn/claim-messages.ts'
import { createHandingMarks } from '../turn/mark-handing.ts'
import { recordResults, type Verdict } from '../turn/record-results.ts'
import { recordRefused } from '../turn/settle-refused.ts'
import { cancelMessages, cancelStream } from './cancel-messages.ts'
import { createMessages, SINGLE } from './create-messages.ts'
import { eraseMessages } from './erase-messages.ts'
import { planMessages } from './plan-messages.ts'
import { retryMessage } from './requeue-messages.ts'
import { settleRestored } from './settle-restored.ts'
import { withdrawMessages } from './withdraw-messages.ts'

/* Rows of the queue that somebody changes while a statement waits for them: it does to them what it does to the others. */

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
await migrateJobs(pool, ['default'])
const integrationId = await storeIntegration(pool, workspaceId, { port: 25 })
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)

type Message = { id: string; createdAt: string; streamId: string; contactId: string }

let made = 0
/** A message of an automation's stream of its own, in the queue. */
async function message(timeZone: string | null = null): Promise<Message> {
  const email = `p${++made}@people.example`
  const { id: contactId } = await createContact({ sql: pool }, caller, { email, timeZone })
  const source = { kind: 'automation', id: String(made) } as const
  const { streamId } = await inTx((tx) => openStream(tx, workspaceId, source))
  const createdAt = new Date().toISOString()
  const plan = { workspaceId, source, purpose: 'marketing', createdAt, streamId } as const
  const [planned] = await inTx((tx) => planMessages(tx, plan, [{ contactId, dueAt: null }]))
  return { id: planned!.id, createdAt, streamId, contactId }
}

const queued = ({ id }: Message) =>
  rows('select turn, handing_at from message_queue where workspace_id = $1 and message_id = $2', [id])
const inFlight = async () =>
  (await rows<{ n: number }>('select in_flight::int as n from send_allowances where workspace_id = $1'))[0]!.n

/** A turn that has claimed the message: what the ways of a claim do to its row, in the open transaction of a test. */
async function claim(tx: Transaction, { id }: Message): Promise<void> {
  await takeAllowance(tx, { workspaceId, integrationId, perDay: null, wanted: 1 })
  await tx.query('update message_queue set slot = 0, turn = 1, integration_id = $2 where message_id = $1', [
    ...[id, integrationId],
  ])
}

/** Whether its turn may hand it over. */
function markedBy({ id, createdAt, streamId }: Message): Promise<boolean> {
  const marks = createHandingMarks(pool, assert.ifError)
  return marks.mark({ workspaceId, id, createdAt, streamId, slot: 0, turn: '1', sourceKind: 'automation' } as Claim)
}

/** Does something with messages while another transaction has changed one's row, and lets that commit once it is waited for. */
async function beside<T>(change: (tx: Transaction) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const changing = await openTransaction(pool, change, workspaceId)
  const done = work()
  done.catch(() => undefined)
  await somebodyWaits(pool)
  await changing.commit()
  return done
}

test('a mail that is claimed as its run ends is taken back, and gives its place in the limit back once', async () => {
  const mail = await message()
  await rows(
    `insert into run_messages (workspace_id, message_id, created_at, run_id, visit, automation_id, version, node)
      values ($1, $2, $3, 77, 1, 5, 1, 'n')`,
    [mail.id, mail.createdAt],
  )
  // Another message is being handed over all the time.
  await inTx((tx) => takeAllowance(tx, { workspaceId, integrationId, perDay: null, wanted: 1 }))
  await beside(
    (tx) => claim(tx, mail),
    () => inTx((tx) => withdrawMessages(tx, workspaceId, ['77'])),
  )
  assert.deepEqual(await queued(mail), [])
  // The turn finds that it must not send it.
  const turn = { workspaceId, streamId: mail.streamId, slot: 0, turn: '1' } as SendTurn
  await inTx(async (tx) => {
    const settled = await recordRefused(tx, turn, [{ id: mail.id, refusal: 'skipped:run_ended' }])
    await settleAllowance(tx, workspaceId, settled)
  })
  assert.equal(await inFlight(), 1)
})

const CANCELS: Readonly<Record<string, (tx: Transaction, mail: Message) => Promise<unknown>>> = {
  'by itself': (tx, { id }) => cancelMessages(tx, workspaceId, [id]),
  'with its stream': (tx, { streamId }) => cancelStream(tx, { workspaceId, streamId }),
}
for (const [way, cancel] of Object.entries(CANCELS)) {
  test(`a mail that is made due as it is canceled ${way} is not sent`, async () => {
    const mail = await message()
    await beside(
      (tx) => tx.query('update message_queue set due_at = now() where message_id = $1', [mail.id]),
      () => inTx((tx) => cancel(tx, mail)),
    )
    assert.deepEqual(await stateOf(mail), ['skipped', 'canceled'])
    assert.deepEqual(await queued(mail), [])
  })
}

test('a mail that is claimed as its stream is canceled gives its place in the limit back, and its mark finds nothing', async () => {
  const mail = await message()
  const before = await inFlight()
  await inTx((tx) => claim(tx, mail))
  assert.equal(await inTx((tx) => cancelStream(tx, { workspaceId, streamId: mail.streamId })), 1)
  assert.deepEqual([await stateOf(mail), await queued(mail), await inFlight()], [['skipped', 'canceled'], [], before])
  assert.equal(await markedBy(mail), false)
})

test('a mail whose mark is committed as its stream is canceled goes out, and is not told as canceled', async () => {
  const mail = await message()
  await inTx((tx) => claim(tx, mail))
  const canceled = await beside(
    (tx) => tx.query('update message_queue set handing_at = now() where message_id = $1', [mail.id]),
    () => inTx((tx) => cancelStream(tx, { workspaceId, streamId: mail.streamId })),
  )
  assert.deepEqual([canceled, (await stateOf(mail))[0], (await queued(mail)).length], [0, 'pending', 1])
  await rows('delete from message_queue where workspace_id = $1 and message_id = $2 returning message_id', [mail.id])
})

test('a stream is canceled in the order of locks: it waits for its queue before it holds an allowance', async () => {
  const claimed = await message()
  await inTx((tx) => claim(tx, claimed))
  const { streamId } = claimed
  const waiting = await message()
  await rows('update message_queue set stream_id = $3 where workspace_id = $1 and message_id = $2', [
    ...[waiting.id, streamId],
  ])
  const holding = await openTransaction(
    pool,
    (tx) => tx.query('select from message_queue where message_id = $1 for update', [waiting.id]),
    workspaceId,
  )
  const canceled = inTx((tx) => cancelStream(tx, { workspaceId, streamId }))
  canceled.catch(() => undefined)
  await somebodyWaits(pool)
  await rows('select from send_allowances where workspace_id = $1 for update nowait')
  await holding.commit()
  assert.equal(await canceled, 2)
})

test('a mail that is sent once more, and claimed, while its person is erased is left until its turn is done with it', async () => {
  const { id: contactId } = await createContact({ sql: pool }, caller, { email: 'again@people.example' })
  const items = [1, 2].map(() => ({ contactId, destination: 'again@people.example' }))
  const [first, second] = await inTx((tx) => createMessages(tx, { workspaceId, origin: SINGLE.email, items }))
  await rows('delete from message_queue where workspace_id = $1 and message_id = $2', [first!.id])
  await rows(`update messages set state = 'uncertain' where workspace_id = $1 and id = $2`, [first!.id])
  const hold = `select from messages where workspace_id = $1 and id = $2 for update`
  const holding = await openTransaction(pool, (tx) => tx.query(hold, [workspaceId, second!.id]), workspaceId)
  const again = await openTransaction(pool, (tx) => retryMessage(tx, { workspaceId, ...first! }), workspaceId)
  const theirs = [{ contactIds: [contactId], destination: null, until: new Date().toISOString() }]
  const erasing = inTx((tx) => eraseMessages(tx, workspaceId, { theirs, rows: 10 }))
  erasing.catch(() => undefined)
  await somebodyWaits(pool)
  await again.commit()
  // It waits for the other one by now, with the row of this one.
  await eventually('the first is held', async () => {
    const skipping = `${hold.replace('select', 'select id')} skip locked`
    return (await rows(skipping, [first!.id])).length === 0
  })
  await inTx((tx) => claim(tx, first as never))
  await rows('update message_queue set handing_at = now() where workspace_id = $1 and message_id = $2', [first!.id])
  await holding.commit()
  const { erased, isBusy } = await erasing
  assert.deepEqual([erased.map(({ id }) => id), isBusy], [[second!.id], true])
  assert.equal((await stateOf(first as never))[0], 'pending')
  assert.equal((await queued(first as never)).length, 1)
})

test('a claim of before a restore that is given back as the queue is settled is not sent', async () => {
  const mail = await message()
  await inTx((tx) => claim(tx, mail))
  await beside(
    (tx) =>
      tx.query('update message_queue set slot = null, turn = null, integration_id = null where message_id = $1', [
        mail.id,
      ]),
    () => settleRestored(pool, new Date().toISOString()),
  )
  assert.deepEqual(await stateOf(mail), ['uncertain', 'restored'])
  assert.deepEqual(await queued(mail), [])
})

const VERDICTS: Readonly<Record<string, Verdict>> = {
  failed: { verdict: 'failed', reason: 'render_failed', cause: 'no template', bounce: null },
  again: { verdict: 'again', afterMs: 0, countsAttempt: false, log: null, cause: 'waits' },
}
for (const [name, verdict] of Object.entries(VERDICTS)) {
  test(`a result of "${name}" counts whose mark is committed only then`, async () => {
    const mail = await message()
    await inTx((tx) => claim(tx, mail))
    const claimed = {
      ...mail,
      workspaceId,
      slot: 0,
      turn: '1',
      integrationId,
      destination: 'p@people.example',
    } as never
    await beside(
      (tx) => tx.query('update message_queue set handing_at = clock_timestamp() where message_id = $1', [mail.id]),
      () =>
        recordResults(pool, [
          { ...{ claim: claimed, verdict, provider: 'smtp', sendingDomain: null, reply: null }, clearsBackoff: false },
        ]),
    )
    assert.deepEqual(await queued(mail), name === 'again' ? [{ turn: null, handing_at: null }] : [])
  })
}

test('a claim that is held no more goes back, though its turn is taken over as that is said', async () => {
  const [free, quiet] = [await message('Asia/Tokyo'), await message()]
  for (const mail of [free, quiet]) await inTx((tx) => claim(tx, mail))
  await rows(
    `update message_queue set held_for = 'quiet_hours', contact_id = $3 where workspace_id = $1 and message_id = $2`,
    [...[free.id, free.contactId]],
  )
  const jobId = crypto.randomUUID()
  await rows(
    `update send_lanes set state = 'running', turn = 1, job_id = $3 where workspace_id = $1 and stream_id = $2 and slot = 0`,
    [free.streamId, jobId],
  )
  const lane = { workspaceId, streamId: free.streamId, slot: 0, jobId }
  const claims = [free, quiet].map((mail) => ({ ...mail, purpose: 'marketing' })) as never[]
  const nowMs = Date.now()
  const at = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  const quietHours = { from: at(nowMs - HOUR_MS), until: at(nowMs + HOUR_MS), zone: 'UTC' }
  // The turn has said that the one is held no more, and waits to settle what it has put off.
  const stalling = await openTransaction(pool, (tx) => tx.query('select from send_allowances for update'))
  const told = holdBack(pool, { ...lane, turn: '1' } as SendTurn, {
    ...{ claims, restraints: { quietHours, frequencyCap: null, nowMs } },
  })
  await somebodyWaits(pool)
  const taken = inTx((tx) => beginTurn(tx, SEND_LANES, lane))
  await somebodyWaits(pool, 2)
  await stalling.commit()
  assert.deepEqual(
    (await told).map(({ id }) => id),
    [free.id],
  )
  await taken
  assert.deepEqual(await queued(free), [{ turn: null, handing_at: null }])
})

async function stateOf({ id }: Message) {
  const [found] = await rows<{ state: string; reason: string }>(
    'select state, reason from messages where workspace_id = $1 and id = $2',
    [id],
  )
  return [found!.state, found!.reason]
}
