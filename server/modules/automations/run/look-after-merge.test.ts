import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, automationWorld, turnsOf } from '../../../../test/support/automation-by-hand.ts'
import { mergeContacts } from '../../personal-data/merge-contacts.ts'
import { placeBackfill } from '../backfill/place-backfill.ts'

/*
 * The history of somebody who has become part of another follows by a job: what is still under its old contact has happened to the survivor
 * as well, and a run that looks only once must not miss it.
 */

const { pool, workspaceId, caller, rows, readLog } = await automationWorld()

const rest = { rest: { type: 'delay', days: 1, to: 'end' } }
const LONG = 1_100

test('what was under way when its contact became part of another ends the run of the survivor that comes to look', async () => {
  const key = await automationByHand(pool, workspaceId, definition('cart', 'paid'))
  const [survivor, other] = await contacts()
  await happens('cart', survivor)
  await merge(survivor, other)
  await happens('paid', other)
  await turnsOf(pool, key)
  assert.deepEqual(await ended(key.automationId), [{ contactId: survivor, reason: 'criterion' }])
})

test('what is far down the long history of somebody merged ends their run as well', async () => {
  const key = await automationByHand(pool, workspaceId, definition('cart of many', 'paid of many'))
  const [survivor, other] = await contacts()
  await happens('cart of many', other)
  await happens('seen', other, LONG)
  await happens('paid of many', other)
  await merge(survivor, other)
  await turnsOf(pool, key)
  assert.deepEqual(await ended(key.automationId), [{ contactId: survivor, reason: 'criterion' }])
})

test('whoever goes through the past finds what is under a contact that was merged just now', async () => {
  const [survivor, other] = await contacts()
  await merge(survivor, other)
  await happens('cart of before', other)
  const key = await automationByHand(pool, workspaceId, definition('cart of before', 'never'))
  await rows(
    `insert into automation_backfills (workspace_id, automation_id, as_of, names, from_at, until_at, events)
      values ($1, $2, 'now', '{cart of before}', now() - interval '1 hour', now(), 0)`,
    [workspaceId, key.automationId],
  )
  assert.deepEqual(await placeBackfill(pool, key, AbortSignal.timeout(60_000)), { outcome: 'ok' })
  await turnsOf(pool, key)
  const inside = await rows('select contact_id::text as "contactId" from runs where automation_id = $1', [
    key.automationId,
  ])
  assert.deepEqual(inside, [{ contactId: survivor }])
})

const definition = (event: string, exit: string) => ({
  ...{ format: 1, enter: { on: [{ event }] }, exit: [{ event: exit }], start: 'rest', nodes: rest },
})

async function contacts(): Promise<[string, string]> {
  const made = await rows<{ id: string }>(
    `insert into contacts (workspace_id, subject_id) select $1, gen_random_uuid()::text from generate_series(1, 2) returning id`,
    [workspaceId],
  )
  return [made[0]!.id, made[1]!.id]
}

/** Records events, and has the log read. */
async function happens(name: string, contactId: string, times = 1): Promise<void> {
  await rows(
    `insert into outbox (tx, workspace_id, type, name, subject, contact_id, data, occurred_at)
      select (select outbox_tx()), $1, 'event.recorded', $2, $3::text, $3::text::bigint, '{}', now() from generate_series(1, $4::int)`,
    [workspaceId, name, contactId, times],
  )
  await readLog()
}

async function merge(id: string, otherId: string): Promise<void> {
  await mergeContacts({ sql: pool, enqueueSweep: async () => undefined }, caller, { id, otherId })
}

const ended = (automationId: string) =>
  rows('select contact_id::text as "contactId", reason from ended_runs where automation_id = $1', [automationId])
