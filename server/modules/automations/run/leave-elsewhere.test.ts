import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, OWN_ID, turnsOf } from '../../../../test/support/automation-by-hand.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { SECOND_MS } from '../../../platform/durations.ts'
import { queuedRefusal } from '../../sending/ledger/refusal.ts'
import { pauseAutomation } from '../definition/steer-automation.ts'
import { putEntries } from '../entry/put-entries.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

const rest = { type: 'delay', days: 1, to: 'end' }
const BEGIN_MS = Date.now()
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((n) => new Date(BEGIN_MS + n * SECOND_MS).toISOString()) as [
  string,
  string,
  string,
]

test('whoever is to leave the automation that they have just come into does so in a pause as well', async () => {
  const nodes = { out: { type: 'leave', automation: OWN_ID, to: 'rest' }, rest }
  const key = await automationByHand(pool, workspaceId, { ...byHand, start: 'out', nodes })
  const contactId = await contact()
  await enroll(key, contactId, FIRST)
  await turnsOf(pool, key, { at: SECOND, asked: 1 })
  assert.deepEqual(await stories(key), ['waiting'])
  await pauseAutomation({ sql: pool }, caller, key.automationId)
  await turnsOf(pool, key, { at: THIRD })
  assert.deepEqual(await stories(key), ['left'])
})

test('mail of whoever was to leave before their turn came is held back until they do', async () => {
  const nodes = { mail: { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>', to: 'rest' }, rest }
  const key = await automationByHand(pool, workspaceId, { ...byHand, start: 'mail', nodes })
  const leads = await automationByHand(pool, workspaceId, {
    ...{ ...byHand, start: 'out' },
    nodes: { out: { type: 'leave', automation: key.automationId, to: 'end' } },
  })
  const [leaves, stays] = [await contact(), await contact()]
  for (const id of [leaves, stays]) await enroll(key, id, FIRST)
  await enroll(leads, leaves, FIRST)
  await turnsOf(pool, leads, { at: SECOND })

  await turnsOf(pool, key, { at: SECOND, asked: 1 })
  assert.deepEqual(await stories(key), ['waiting', 'waiting'])
  assert.deepEqual(await refusals(), [
    { contactId: leaves, refusal: 'skipped:run_ended' },
    { contactId: stays, refusal: null },
  ])
  await enroll(key, leaves, THIRD)
  await turnsOf(pool, key, { at: THIRD })
  assert.deepEqual((await stories(key)).sort(), ['left', 'waiting', 'waiting'])
})

const byHand = { format: 1, enter: { on: [{ manual: true }], again: { mode: 'every' } } }

async function contact(): Promise<string> {
  const [made] = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email) values ($1, gen_random_uuid() || '@example.com') returning id`,
    [workspaceId],
  )
  return made!.id
}

const enroll = (key: { workspaceId: string; automationId: string }, contactId: string, at: string) =>
  inTransaction(pool, workspaceId, (tx) => putEntries(tx, key, { wanting: [{ contactId, depth: 0 }], at }))

const stories = async ({ automationId }: { automationId: string }) =>
  (
    await rows<{ told: string }>(
      `select state as told from runs where automation_id = $1
        union all select coalesce(reason, state) from ended_runs where automation_id = $1`,
      [automationId],
    )
  ).map(({ told }) => told)

const refusals = () =>
  rows(
    `select m.contact_id::text as "contactId", ${queuedRefusal(true)} as refusal from messages m
      where state = 'pending' order by m.contact_id`,
  )
