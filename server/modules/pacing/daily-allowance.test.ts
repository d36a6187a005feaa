import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { settleAllowance, takeAllowance } from './daily-allowance.ts'

const { database, pool, workspaceId } = await testWorkspace()

const scoped = <T>(work: (tx: Transaction) => Promise<T>, of = pool) => inTransaction(of, workspaceId, work)

const newIntegration = () =>
  scoped(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
       values ($1, 'relay', 'email', 'smtp', true, false, 'a@example.com', 'mail.example.com', 587, 'starttls') returning id`,
      [workspaceId],
    )
    return rows[0]!.id
  })

const take = async (integrationId: string, perDay: number | null, wanted: number, of = pool) =>
  (await scoped((tx) => takeAllowance(tx, { workspaceId, integrationId, perDay, wanted }), of))!

const settle = (integrationId: string, sent: number, unused: number, of = pool) =>
  scoped((tx) => settleAllowance(tx, workspaceId, [{ integrationId, sent, unused }]), of)

/** Time passes: what was counted becomes older. */
/** More than any test lets pass. */
const FAR_MINUTES = 50_000_000

/** Lets minutes pass: by way of a time that has no counters, so that none comes where another has not left yet. */
const pass = (integrationId: string, minutes: number) =>
  scoped(async (tx) => {
    const back = (count: number) =>
      tx.query(
        'update send_counters set minute = minute - make_interval(mins => $3) where workspace_id = $1 and integration_id = $2',
        [workspaceId, integrationId, count],
      )
    await back(FAR_MINUTES + minutes)
    await back(-FAR_MINUTES)
  })

const inFlight = (integrationId: string) =>
  scoped(async (tx) => {
    const { rows } = await tx.query<{ n: number }>(
      'select in_flight as n from send_allowances where workspace_id = $1 and integration_id = $2',
      [workspaceId, integrationId],
    )
    return rows[0]?.n
  })

test('what is under way uses up the limit as what was sent does, and what was not sent comes back', async () => {
  const id = await newIntegration()
  assert.deepEqual(await take(id, 100, 60), { granted: 60, retryAt: null })
  const second = await take(id, 100, 60)
  assert.equal(second.granted, 40)
  assert.ok(Date.parse(second.retryAt!) - Date.now() < 31_000, 'what is under way may yet leave room')
  await settle(id, 70, 30)
  assert.equal((await take(id, 100, 60)).granted, 30)
  await settle(id, 30, 0)
  const full = await take(id, 100, 1)
  assert.equal(full.granted, 0)
  const leftHours = (Date.parse(full.retryAt!) - Date.now()) / 3_600_000
  assert.ok(leftHours > 23.9 && leftHours < 24.1, `${leftHours} h`)
  await pass(id, 24 * 60 - 1)
  assert.equal((await take(id, 100, 1)).granted, 0)
  await pass(id, 2)
  assert.deepEqual(await take(id, 100, 100), { granted: 100, retryAt: null })
})

test('without a limit everything is granted and counted, so that a new limit knows of it', async () => {
  const id = await newIntegration()
  assert.deepEqual(await take(id, null, 5_000), { granted: 5_000, retryAt: null })
  assert.equal((await take(id, 4_000, 1)).granted, 0)
  await settle(id, 1_000, 4_000)
  assert.equal((await take(id, 4_000, 5_000)).granted, 3_000)
  const blocked = await take(id, 0, 1)
  assert.equal(blocked.granted, 0)
  assert.ok(blocked.retryAt)
  assert.equal(await take('999999', 10, 1), undefined, 'an integration that is gone')
})

test('the time of the next room is that of the minute whose end makes it', async () => {
  const id = await newIntegration()
  for (const [sent, minutes] of [
    [50, 600],
    [30, 300],
    [20, 0],
  ] as const) {
    await take(id, null, sent)
    await settle(id, sent, 0)
    await pass(id, minutes)
  }
  const at = async (perDay: number) => (Date.parse((await take(id, perDay, 1)).retryAt!) - Date.now()) / 60_000
  const near = (minutes: number, expected: number) => Math.abs(minutes - expected) < 1.1
  assert.ok(near(await at(100), 24 * 60 - 900 + 0.5), 'the oldest fifty')
  assert.ok(near(await at(40), 24 * 60 - 300 + 0.5), 'the thirty after them as well')
})

test('processes that claim and settle at random never go over the limit, and waste none of it', async () => {
  const seed = seedFrom('ALLOWANCE_SEED')
  console.log(`ALLOWANCE_SEED=${seed}`)
  const random = seededRandom(seed)
  const [id, perDay] = [await newIntegration(), 500]
  const pools = [pool, secondProcess(database, { connections: 3 }), secondProcess(database, { connections: 3 })]
  const batches: { at: number; sent: number }[] = []
  const startedAt = Date.now()
  let passed = 0
  // Real time goes on beside the minutes that are let pass.
  const minute = () => passed + (Date.now() - startedAt) / 60_000
  const days = Number(process.env.ALLOWANCE_DAYS ?? 3)
  while (minute() < days * 24 * 60) {
    await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const of = pools[n % pools.length]!
        const { granted } = await take(id, perDay, 1 + Math.floor(random() * 60), of)
        if (granted === 0) return
        const sent = Math.min(granted, Math.floor(granted * random() * 1.3))
        batches.push({ at: minute(), sent })
        await settle(id, sent, granted - sent, of)
      }),
    )
    const now = minute()
    const within = batches.reduce((sum, { at, sent }) => sum + (now - at < 24 * 60 ? sent : 0), 0)
    assert.ok(within <= perDay, `${within} within 24 hours before minute ${now}`)
    assert.equal(await inFlight(id), 0)
    const minutes = 1 + Math.floor(random() * 120)
    passed += minutes
    await pass(id, minutes)
  }
  const total = batches.reduce((sum, { sent }) => sum + sent, 0)
  assert.ok(total >= 0.8 * perDay * days, `${total} sent in ${days} days`)
})
