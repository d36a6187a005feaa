import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { claimRequest } from './claim-request.ts'
import { forgetAnswers } from './forget-answers.ts'
import { type Claim, deleteExpiredKeys, markEffect } from './queries.ts'
import { settleClaim } from './settle-claim.ts'

const { pool, database, workspaceId, caller } = await testWorkspace()
const other = secondProcess(database)
const answers = { seal: (text: string) => `sealed ${text}`, open: (text: string) => text.slice('sealed '.length) }
const deps = { sql: pool, answers }
const target = { type: 'contact', id: '7', name: null }

const newRequest = () => ({ workspaceId, keyHash: randomBytes(32), fingerprint: randomBytes(32), leaseMs: 10_000 })

async function claimed(sql: typeof pool, request: ReturnType<typeof newRequest>): Promise<Claim> {
  const found = await claimRequest(sql, request)
  assert.equal(found.outcome, 'claimed')
  return found.claim
}

const endLease = ({ keyHash }: { keyHash: Buffer }) =>
  inTransaction(pool, workspaceId, (tx) =>
    tx.query('update idempotency_keys set leased_until = now() where key_hash = $1', [keyHash]),
  )

/** The work of an operation: a change and its audit entry in one transaction, under a claim. */
async function takeEffect(claim: Claim, action: string): Promise<void> {
  const onRecorded = async (tx: Parameters<typeof markEffect>[0]) => {
    if (!(await markEffect(tx, claim, target))) throw new Error('no longer ours')
  }
  await inTransaction(pool, workspaceId, (tx) => recordAudit(tx, { ...caller, onRecorded }, { action, target }))
}

const entries = async (action: string) => {
  const { rows } = await inTransaction(pool, workspaceId, (tx) =>
    tx.query('select from audit_entries where action = $1', [action]),
  )
  return rows.length
}

test('a request whose lease ended is taken over under the same id, and its first process can do nothing more', async () => {
  const request = newRequest()
  const first = await claimed(pool, request)
  await assert.rejects(claimRequest(other, request), { code: 'request-in-flight' })
  await endLease(request)
  const second = await claimed(other, request)
  assert.equal(second.id, first.id)
  assert.notEqual(second.claim, first.claim)
  await assert.rejects(takeEffect(first, 'test.stale'), /no longer ours/)
  assert.equal(await entries('test.stale'), 0)
  await takeEffect(second, 'test.taken_over')
  assert.equal(await entries('test.taken_over'), 1)
})

test('of many that take a request over at once, one gets it', async () => {
  const request = newRequest()
  await claimed(pool, request)
  await endLease(request)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => claimRequest(index % 2 ? pool : other, request)),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a request that took effect is never taken over, also while its transaction is still open', async () => {
  const request = newRequest()
  const first = await claimed(pool, request)
  await endLease(request)
  const rival = await inTransaction(pool, workspaceId, async (tx) => {
    assert.equal(await markEffect(tx, first, target), true)
    const waiting = claimRequest(other, request).catch((error: Error) => error)
    // Until the takeover waits for our row: it must see what we commit, not what there was.
    await eventually('the takeover waits', async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update idempotency_keys%'`,
      )
      return rows.length > 0
    })
    return { waiting }
  })
  assert.match(String(await rival.waiting), /took effect on contact 7/)
})

test('an answer of the database lost after the effect cannot free the key', async () => {
  const request = newRequest()
  const claim = await claimed(pool, request)
  await takeEffect(claim, 'test.unsure')
  for (const status of [500, 503, 400, 429]) await settleClaim(deps, claim, { status, answer: undefined })
  await endLease(request)
  await assert.rejects(claimRequest(pool, request), { code: 'idempotent-answer-lost' })
})

test('an answer beyond the limit is not kept, and neither is one about somebody who is erased', async () => {
  const [large, erased] = [newRequest(), newRequest()]
  const answer = (body: string) => ({ status: 200, answer: { status: 200, headers: {}, body } })
  await settleClaim(deps, await claimed(pool, large), answer('x'.repeat(262_145)))
  await assert.rejects(claimRequest(pool, large), { code: 'idempotent-answer-lost' })
  const claim = await claimed(pool, erased)
  await takeEffect(claim, 'test.create')
  await settleClaim(deps, claim, answer('{"email":"ada@example.com"}'))
  assert.equal((await claimRequest(pool, erased)).outcome, 'answered')
  await inTransaction(pool, workspaceId, (tx) => forgetAnswers(tx, workspaceId, { type: 'contact', ids: ['7'] }))
  await assert.rejects(claimRequest(pool, erased), { code: 'idempotent-answer-lost' })
})

test('keys leave when their time is over', async () => {
  await inTransaction(pool, workspaceId, (tx) => tx.query('delete from idempotency_keys'))
  for (let n = 0; n < 5; n++) await claimed(pool, newRequest())
  assert.equal(await deleteExpiredKeys(pool), 0)
  await inTransaction(pool, workspaceId, (tx) => tx.query('update idempotency_keys set expires_at = now()'))
  assert.equal(await deleteExpiredKeys(pool), 5)
})

test('however many leave at a time, and however long that takes, no transaction is open for a second', async () => {
  await pool.query(`create function take_time() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.003);
    if clock_timestamp() - now() > interval '1 second' then raise exception 'open for a second'; end if;
    return null; end $$`)
  await pool.query(
    'create trigger take_time after delete on idempotency_keys for each row execute function take_time()',
  )
  await inTransaction(pool, workspaceId, (tx) =>
    tx.query(
      `insert into idempotency_keys (workspace_id, key_hash, fingerprint, leased_until, expires_at)
       select $1, sha256(n::text::bytea), sha256(''), now(), now() from generate_series(1, 400) n`,
      [workspaceId],
    ),
  )
  assert.equal(await deleteExpiredKeys(pool), 400)
})
