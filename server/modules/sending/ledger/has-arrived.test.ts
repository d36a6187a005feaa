import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { sendJobs } from '../../../../test/support/turn-jobs.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { beginTurn } from '../../../platform/lanes/turns.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { SEND_LANES } from '../lanes.ts'
import { openStream, setStreamState } from '../streams.ts'
import { recordResults, type SendResult } from '../turn/record-results.ts'
import { type MarkKind, markMessages } from './mark-messages.ts'
import { planMessages } from './plan-messages.ts'
import { settleRestored } from './settle-restored.ts'

const { pool, workspaceId, caller } = await testWorkspace()
await migrateJobs(pool, ['default', 'broadcasts'])
const integrationId = await storeIntegration(pool, workspaceId, { port: 25 })
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)

let made = 0
/** A message that a turn is handing over since a second ago. */
async function handedOver() {
  const email = `p${++made}@people.example`
  const { id: contactId } = await createContact({ sql: pool }, caller, { email })
  const source = { kind: 'broadcast', id: String(made) } as const
  const { streamId } = await inTx((tx) => openStream(tx, workspaceId, source))
  const createdAt = new Date().toISOString()
  const plan = { workspaceId, source, purpose: 'marketing', createdAt, streamId } as const
  await inTx((tx) => planMessages(tx, plan, [{ contactId, dueAt: null }]))
  const [planned] = await rows<{ id: string }>('select id from messages where workspace_id = $1 and contact_id = $2', [
    contactId,
  ])
  await inTx((tx) => setStreamState(tx, { workspaceId, streamId, state: 'open' }))
  const job = (await sendJobs(pool)).find((one) => one.streamId === streamId && one.slot === 0)!
  const turn = (await inTx((tx) => beginTurn(tx, SEND_LANES, job)))!
  await rows(
    `update message_queue set slot = 0, turn = $2, integration_id = $3, handing_at = now() - interval '1 second'
      where workspace_id = $1 and message_id = $4`,
    [turn.turn, integrationId, planned!.id],
  )
  return { id: planned!.id, createdAt, job, turn: turn.turn, email }
}
type Handed = Awaited<ReturnType<typeof handedOver>>

const mark = (id: string, kind: MarkKind) => inTx((tx) => markMessages(tx, workspaceId, [{ messageId: id, kind }]))
const standing = async ({ id }: Handed) => {
  const [row] = await rows<{ state: string; reason: string | null; bounced: boolean }>(
    'select state, reason, bounced_at is not null as bounced from messages where workspace_id = $1 and id = $2',
    [id],
  )
  return row
}

/** Ways in which nobody learns what became of a handover. */
const WAYS: Record<string, { reason: string; unseen: (handed: Handed) => Promise<unknown> }> = {
  'a process that died': {
    reason: 'process_lost',
    unseen: ({ job }) => inTx((tx) => beginTurn(tx, SEND_LANES, job)),
  },
  'a connection that broke': {
    reason: 'connection_lost',
    unseen: ({ id, createdAt, turn, email }) =>
      recordResults(pool, [
        {
          claim: { workspaceId, id, createdAt, slot: 0, turn, integrationId, destination: email },
          verdict: { verdict: 'uncertain', reason: 'connection_lost', cause: 'reset' },
          ...{ provider: 'smtp', sendingDomain: null, reply: null, clearsBackoff: false },
        } as unknown as SendResult,
      ]),
  },
  'a restored database': {
    reason: 'restored',
    unseen: () => settleRestored(pool, new Date(Date.now() + 60_000).toISOString()),
  },
}

for (const [way, { reason, unseen }] of Object.entries(WAYS)) {
  test(`mail of ${way} is uncertain, unless its reader has opened it or it has come back before that was noticed`, async () => {
    const [nothing, opened, bounced, before] = [
      ...[await handedOver(), await handedOver(), await handedOver(), await handedOver()],
    ] as [Handed, Handed, Handed, Handed]
    await mark(opened.id, 'opened')
    await mark(bounced.id, 'bounced')
    await rows(`update messages set bounced_at = now() - interval '1 hour' where workspace_id = $1 and id = $2`, [
      before.id,
    ])
    for (const one of [nothing, opened, bounced, before]) await unseen(one)
    assert.deepEqual(await standing(nothing), { state: 'uncertain', reason, bounced: false })
    assert.deepEqual(await standing(opened), { state: 'accepted', reason: null, bounced: false })
    assert.deepEqual(await standing(bounced), { state: 'accepted', reason: null, bounced: true })
    // Of an attempt before, which failed: no sign of this one.
    assert.equal((await standing(before))?.state, 'uncertain')
  })
}
