import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { createPacer, type Pacer, type Reservation, type Slot } from './pacer.ts'

const { database, pool, workspaceId } = await testWorkspace()
const onError = (error: unknown) => {
  throw error
}
const never = new AbortController().signal

async function integration(): Promise<string> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
       values ($1, 'relay', 'email', 'smtp', true, false, 'a@example.com', 'mail.example.com', 587, 'starttls') returning id`,
      [workspaceId],
    )
    return rows[0]!.id
  })
}

const wanting = async (perSecond: number | null): Promise<Reservation> => ({
  ...{ workspaceId, integrationId: await integration(), perSecond, kind: 'broadcast' },
})

const many = (pacer: Pacer, reservation: Reservation, count: number): Promise<Slot[]> =>
  Promise.all(Array.from({ length: count }, () => pacer.reserve(reservation, never)))

test('several processes take their slots from one line', async () => {
  const pacers = [pool, secondProcess(database), secondProcess(database)].map((of) =>
    createPacer({ pool: of, onError }),
  )
  const reservation = await wanting(200)
  // The first answers tell how the clocks stand.
  await Promise.all(pacers.map((pacer) => many(pacer, reservation, 5)))
  const slots = (await Promise.all(pacers.map((pacer) => many(pacer, reservation, 40)))).flat()
  const times = slots.map(({ at }) => at).sort((a, b) => a - b)
  const took = times.at(-1)! - times[0]!
  assert.ok(took > 0.95 * 119 * 5.2, `120 slots in ${took} ms`)
})

test('a slot begins at its moment and not before, and is lost when that has passed', async () => {
  const pacer = createPacer({ pool, onError })
  const slots = await many(pacer, await wanting(100), 10)
  const began = await Promise.all(
    slots.slice(1).map(async (slot) => ({ isGood: await slot.begin(), lateMs: performance.now() - slot.at })),
  )
  for (const { isGood, lateMs } of began) {
    assert.ok(lateMs >= 0)
    // A busy machine may be late after the slot was found good, too.
    assert.ok(isGood || lateMs >= 20, `lost though ${lateMs} ms late`)
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, slots[0]!.at + 25 - performance.now())))
  assert.equal(await slots[0]!.begin(), false)
})

test('transactional mail of any process passes a broadcast that waits for slots', async () => {
  const [pacer, other] = [createPacer({ pool, onError }), createPacer({ pool: secondProcess(database), onError })]
  const reservation = await wanting(20)
  const broadcast = Array.from({ length: 60 }, () => pacer.reserve(reservation, never))
  await broadcast[0]
  const slot = await other.reserve({ ...reservation, kind: 'transactional' }, never)
  const later = (await Promise.all(broadcast)).filter(({ at }) => at > slot.at)
  assert.ok(later.length >= 20, `it passed ${later.length} of 60`)
})

test('who is called off waits no longer, and takes nobody with them', async () => {
  const pacer = createPacer({ pool, onError })
  const reservation = await wanting(1)
  const calledOff = new AbortController()
  const [first, second] = [pacer.reserve(reservation, never), pacer.reserve(reservation, calledOff.signal)]
  await first
  const third = pacer.reserve(reservation, never)
  calledOff.abort(new Error('called off'))
  await assert.rejects(second, /called off/)
  await assert.rejects(pacer.reserve(reservation, calledOff.signal), /called off/)
  const { at } = await third
  const [apart, ahead] = [at - (await first).at, at - performance.now()]
  // The second's place, not the one behind it; whichever, it is later on a busy machine, and then not as far ahead.
  assert.ok(apart > 950 && ahead < 1_500, `${apart} ms apart, ${ahead} ms ahead`)
})

test('without a limit slots are free, until the provider says that it is too fast, to any process', async () => {
  const [pacer, other] = [createPacer({ pool, onError }), createPacer({ pool: secondProcess(database), onError })]
  const reservation = await wanting(null)
  for (const one of [pacer, other]) {
    const slots = await many(one, reservation, 500)
    assert.ok(slots.every(({ at }) => at <= performance.now()))
    assert.ok((await Promise.all(slots.map((slot) => slot.begin()))).every(Boolean))
  }
  pacer.slowDown(reservation, null)
  const paced = async (one: Pacer) => {
    const slots = await many(one, reservation, 3)
    return slots[2]!.at - slots[0]!.at > 1
  }
  // The one that was told knows at once; the other when what it was last told is a second old.
  await eventually('the one that was told knows', () => paced(pacer))
  await eventually('the other one knows', () => paced(other))
})

test('a refusal that could not be told is told with the next slots', async () => {
  const errors: unknown[] = []
  const pacer = createPacer({ pool, onError: (error) => errors.push(error) })
  const reservation = await wanting(null)
  await pacer.reserve(reservation, never)
  const busy = await openTransaction(pool, (tx) =>
    tx.query('select from send_paces where integration_id = $1 for update', [reservation.integrationId]),
  )
  pacer.slowDown(reservation, null)
  await somebodyWaits(pool)
  await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  await eventually('the loss is noticed', () => Promise.resolve(errors.length === 1))
  await busy.commit()
  const slots = await many(pacer, reservation, 3)
  assert.ok(slots[2]!.at - slots[0]!.at > 1, 'they are paced')
})

test('an integration that is gone and a database that is away are told to those who wait', async () => {
  const pacer = createPacer({ pool, onError })
  await assert.rejects(pacer.reserve({ ...(await wanting(1)), integrationId: '999999' }, never), /gone/)
  const away = createPacer({ pool: { connect: () => Promise.reject(new Error('away')) } as never, onError })
  await assert.rejects(away.reserve(await wanting(1), never), /away/)
})
