import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../../test/support/seeded-random.ts'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { beginTurn } from '../../../platform/lanes/turns.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { SEND_LANES, type SendTurn } from '../lanes.ts'
import { claimMessages } from '../turn/claim-messages.ts'
import { createHandingMarks } from '../turn/mark-handing.ts'
import { recordResults, type Verdict } from '../turn/record-results.ts'
import { settleRefused } from '../turn/settle-refused.ts'
import { acceptMessage } from './accept-uncertain.ts'
import { cancelMessages } from './cancel-messages.ts'
import { createMessages, SINGLE } from './create-messages.ts'
import { eraseMessages } from './erase-messages.ts'
import { retryMessage } from './requeue-messages.ts'

/*
 * Claims and marks do not ask for a message's state: what is in the queue is pending, and what is pending is in the queue, at every
 * commit. The end of a message takes its row out of the queue in the same transaction; a claim and a mark hold that row.
 */

const SEED = seedFrom('QUEUE_SEED')
const ROUNDS = 25
const ACTS = 12

const { pool, workspaceId, caller } = await testWorkspace({ connections: 16 })
await migrateJobs(pool, ['default'])
const integrationId = await storeIntegration(pool, workspaceId, { port: 25 })
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const marks = createHandingMarks(pool, (error) => {
  throw error
})
const random = seededRandom(SEED)
const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!

/** Messages that the two tell different things of, in one look. */
const DIFFERENT = `select coalesce(m.id, q.message_id) as id, m.state, q.turn, q.handing_at
  from (select * from messages where workspace_id = $1) m
  full join message_queue q on q.workspace_id = $1 and q.message_id = m.id
  where (q.message_id is not null) is distinct from (m.state = 'pending')`

const VERDICTS: readonly Verdict[] = [
  { verdict: 'accepted', providerMessageId: null } as Verdict,
  { verdict: 'uncertain', reason: 'no_answer', cause: 'closed' } as unknown as Verdict,
  { verdict: 'again', afterMs: 0, countsAttempt: false, log: null, cause: 'waits' },
]

type Made = { id: string; createdAt: string; contactId: string }

async function made(n: number): Promise<Made[]> {
  const people = await Promise.all(
    [1, 2].map((of) => createContact({ sql: pool }, caller, { email: `p${n}-${of}@people.example` })),
  )
  const items = people.flatMap(({ id, email }) => [1, 2].map(() => ({ contactId: id, destination: email! })))
  const created = await inTx((tx) => createMessages(tx, { workspaceId, origin: SINGLE.email, items }))
  return created.map(({ id, createdAt }, at) => ({ id, createdAt, contactId: items[at]!.contactId }))
}

async function beginLane(): Promise<SendTurn> {
  const [lane] = await rows<{ streamId: string; slot: number; jobId: string; turn: string }>(
    `update send_lanes set state = 'running', turn = turn + 1, job_id = gen_random_uuid() where workspace_id = $1
      and slot = 0 returning stream_id as "streamId", slot, job_id as "jobId", turn`,
  )
  return { workspaceId, ...lane!, sourceKind: 'email', sourceId: null } as unknown as SendTurn
}

/** The work of a turn, also of one that was superseded and does not know: claims, marks, and says how each ended. */
async function work(turn: SendTurn): Promise<void> {
  const claimed = await inTx((tx) => claimMessages(tx, { turn, integrationId, perDay: null, wanted: 3 }))
  assert.ok(claimed !== 'no_integration')
  if (claimed.refused.length > 0) await inTx((tx) => settleRefused(tx, turn, claimed.refused))
  await Promise.all(
    claimed.claims.map(async (claim) => {
      const mayGo = await marks.mark(claim)
      const verdict = mayGo ? pick(VERDICTS) : VERDICTS[2]!
      const result = { claim, verdict, provider: 'smtp', sendingDomain: null, reply: null, clearsBackoff: false }
      await recordResults(pool, [result as never])
    }),
  )
}

test('what is in the queue is pending and what is pending is in the queue, whoever ends, repeats, erases or takes over at once', async () => {
  console.log(`QUEUE_SEED=${SEED}`)
  let handed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const messages = await made(round)
    let turn = await beginLane()
    const acts: Readonly<Record<string, (one: Made) => Promise<unknown>>> = {
      work: () => work(turn),
      takeOver: async () => {
        await inTx((tx) => beginTurn(tx, SEND_LANES, turn as never))
        turn = { ...turn, turn: String(BigInt(turn.turn) + 1n) }
      },
      cancel: ({ id }) => inTx((tx) => cancelMessages(tx, workspaceId, [id])),
      retry: (one) => inTx((tx) => retryMessage(tx, { workspaceId, ...one })),
      accept: (one) => inTx((tx) => acceptMessage(tx, { workspaceId, ...one })),
      erase: ({ contactId }) => {
        const theirs = [{ contactIds: [contactId], destination: null, until: new Date().toISOString() }]
        return inTx((tx) => eraseMessages(tx, workspaceId, { theirs, rows: 10 }))
      },
      suppress: ({ contactId }) =>
        rows(
          `insert into suppressions (workspace_id, destination, reason) select $1, email, 'manual' from contacts
            where id = $2 on conflict do nothing`,
          [contactId],
        ),
    }
    const names = ['work', 'work', 'work', 'retry', 'retry', ...Object.keys(acts)]
    const looking = { on: true }
    const looks = (async () => {
      while (looking.on) assert.deepEqual(await rows(DIFFERENT), [], `round ${round}`)
    })()
    const doing = Array.from({ length: ACTS }, () => acts[pick(names)]!(pick(messages)))
    await Promise.all(doing).finally(() => {
      looking.on = false
    })
    await looks
    const [{ n }] = (await rows<{ n: number }>(
      `select count(*)::int as n from messages where workspace_id = $1 and state in ('accepted', 'uncertain')`,
    )) as [{ n: number }]
    handed = n
  }
  assert.ok(handed > ROUNDS / 5, `only ${handed} were handed over`)
})
