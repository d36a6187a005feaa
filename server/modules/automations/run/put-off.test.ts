import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { putEntries } from '../entry/put-entries.ts'
import { putOff } from './put-off.ts'
import { takeStretch } from './take-stretch.ts'

/** The clock of this test is handed in: it ends hours ahead. */
const BEGAN_MS = Math.floor(Date.now() / 60_000) * 60_000

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('an end is put off by each pause that began before it, as it stood then', () => {
  const pause = (number: number, pausedAt: bigint, took: bigint) => ({ number, pausedAt, took })
  assert.equal(putOff(100n, [pause(1, 100n, 50n)]), 100n)
  assert.equal(putOff(100n, [pause(1, 99n, 50n), pause(2, 140n, 7n)]), 157n)
  assert.equal(putOff(100n, [pause(1, 150n, 50n), pause(2, 90n, 7n)]), 107n)
})

test('a timer that ends in a pause ends later by as long, though nothing was rewritten when the pause ended', async () => {
  const nodes = { rest: { type: 'delay', hours: 1, to: 'end' } }
  const { id } = await begin('Paused', { format: 1, enter: { on: [{ manual: true }] }, start: 'rest', nodes })
  /** Takes what is due by a minute, look included; answers when the timer ends. */
  const until = async (minute: number): Promise<string | undefined> => {
    const times = { clock: at(minute), through: at(minute) }
    for (const slot of [0, 1, 0, 1]) {
      await takeStretch(pool, { workspaceId, automationId: id, slot, turn: '1', jobId: '' }, { times })
    }
    const [row] = await rows<{ due: string }>(`select due_at as due from run_queue where kind = 'timer'`)
    return row && new Date(row.due).toISOString()
  }
  assert.equal(await until(1), at(60))
  await rows(
    `with p as (update automations set pauses = 1 where id = $1 returning workspace_id)
     insert into automation_pauses (workspace_id, automation_id, number, paused_at, took)
     select workspace_id, $1, 1, $2, interval '30 minutes' from p`,
    [id, at(10)],
  )
  assert.equal(await until(59), at(60))
  assert.equal(await until(61), at(90))
  assert.equal(await until(89), at(90))
  assert.equal(await until(90), undefined)
  const [ended] = await rows<{ state: string; at: string }>('select state, ended_at as at from ended_runs')
  assert.deepEqual([ended!.state, new Date(ended!.at).toISOString()], ['completed', at(90)])
})

test('an end that comes in a pause is put off by it, though its contact has moved to where it had come before', async () => {
  // The same time of day comes in Darwin half an hour before it does in Tokyo.
  const clockOfTokyo = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' })
  const nodes = { rest: { type: 'delay', at: clockOfTokyo.format(new Date(at(60))), to: 'end' } }
  const draft = { format: 1, enter: { on: [{ manual: true }] }, start: 'rest', nodes }
  const { id, contactId } = await begin('Moving', draft, { zone: 'Asia/Tokyo' })
  const until = async (minute: number) => {
    const lane = { workspaceId, automationId: id, slot: Number(BigInt(contactId) % 2n), turn: '1', jobId: '' }
    for (let n = 0; n < 3; n++) await takeStretch(pool, lane, { times: { clock: at(minute), through: at(minute) } })
  }
  await until(1)
  // Paused at 40, moved at 65, resumed at 70.
  await rows(`update contacts set time_zone = 'Australia/Darwin' where id = $1`, [contactId])
  await rows(
    `with p as (update automations set pauses = 1 where id = $1 returning workspace_id), noted as (
       insert into automation_pauses (workspace_id, automation_id, number, paused_at, took)
       select workspace_id, $1, 1, $2, interval '30 minutes' from p)
     insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version)
     select workspace_id, $1, contact_id % 2, contact_id, id, 'zone', 5, $3, version from runs where automation_id = $1`,
    [id, at(40), at(65)],
  )
  await until(70)
  const [ended] = await rows<{ at: string }>('select ended_at as at from ended_runs where automation_id = $1', [id])
  assert.equal(new Date(ended!.at).toISOString(), at(65), 'at 60 in Darwin, and not before it had moved there')
})

test('a look that is outstanding outlasts a second pause, though a goal is noted in it', async () => {
  const nodes = { wait: { type: 'wait', for: [{ event: 'paid', to: 'end' }], timeout: 'PT1H', late: 'end' } }
  const goal = { event: 'bought', within: 'P7D' }
  const draft = { format: 1, enter: { on: [{ manual: true }] }, goal, start: 'wait', nodes }
  const { id, contactId } = await begin('Paused twice', draft)
  const times = { clock: at(1), through: at(1) }
  const lane = { workspaceId, automationId: id, slot: Number(BigInt(contactId) % 2n), turn: '1', jobId: '' }
  await takeStretch(pool, lane, { times })
  const timer = async () => {
    const found = await rows<{ looks: boolean }>(
      `select looks from run_queue where automation_id = $1 and kind = 'timer'`,
      [id],
    )
    return found.map(({ looks }) => looks)
  }
  assert.deepEqual(await timer(), [true])
  // Nobody has come to the lane since the first pause ended.
  await rows(
    `with p as (update automations set pauses = 1, paused_at = $3 where id = $1 returning workspace_id), noted as (
       insert into automation_pauses (workspace_id, automation_id, number, paused_at, took)
       select workspace_id, $1, 1, $2, interval '30 minutes' from p)
     insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
     select workspace_id, $1, $4, contact_id, id, 'goal', 5, $3, version, 0 from runs where automation_id = $1`,
    [id, at(2), at(40), lane.slot],
  )
  const paused = { clock: at(41), through: at(41) }
  await takeStretch(pool, lane, { times: paused })
  const [run] = await rows<{ at: string }>('select goal_at as at from runs where automation_id = $1', [id])
  assert.equal(new Date(run!.at).toISOString(), at(40))
  assert.deepEqual(await timer(), [true], 'it still has to look for what it may have missed')
  await rows('update automations set paused_at = null where id = $1', [id])
  await takeStretch(pool, lane, { times: paused })
  const [due] = await rows<{ due: string; looks: boolean }>(
    `select due_at as due, looks from run_queue where automation_id = $1 and kind = 'timer'`,
    [id],
  )
  assert.deepEqual([new Date(due!.due).toISOString(), due!.looks], [at(90), false], 'and is put off by the first pause')
})

/** An automation with somebody who comes in at the beginning. */
async function begin(
  name: string,
  draft: object,
  { zone = null }: { zone?: string | null } = {},
): Promise<{ id: string; contactId: string }> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, $2, $3) returning id`,
      [workspaceId, name, JSON.stringify(draft)],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    await tx.query(`update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1`)
    const contacts = await tx.query<{ id: string }>(
      `insert into contacts (workspace_id, email, time_zone) values ($1, $2 || '@example.com', $3) returning id`,
      [workspaceId, name.replaceAll(' ', '.'), zone],
    )
    const contactId = contacts.rows[0]!.id
    await putEntries(tx, { workspaceId, automationId: key.id }, { wanting: [{ contactId, depth: 0 }], at: at(0) })
    return { id: key.id, contactId }
  })
}

/** A minute since the beginning. */
function at(minute: number): string {
  return new Date(BEGAN_MS + minute * 60_000).toISOString()
}
