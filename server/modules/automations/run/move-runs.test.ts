import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { moveMessages } from '../../sending/ledger/move-messages.ts'
import { queuedRefusal } from '../../sending/ledger/refusal.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { putEntries } from '../entry/put-entries.ts'
import { moveRuns } from './move-runs.ts'
import { takeStretch } from './take-stretch.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('an exit that was put into the queue while its contact was merged keeps the mail of the survivor from going out', async () => {
  const [merged, survivor] = await contacts('merged@example.com', 'survivor@example.com')
  const automationId = await automation()
  await inTransaction(pool, workspaceId, (tx) =>
    putEntries(
      tx,
      { workspaceId, automationId },
      { wanting: [{ contactId: merged!, depth: 0 }], at: new Date().toISOString() },
    ),
  )
  const lane = { workspaceId, automationId, slot: Number(BigInt(merged!) % 2n), turn: '1', jobId: '' }
  const clock = new Date(Date.now() + 1_000).toISOString()
  await takeStretch(pool, lane, { times: { clock, through: clock } })
  await inTransaction(pool, workspaceId, async (tx) => {
    await moveRuns(tx, workspaceId, { fromId: merged!, toId: survivor! })
    await moveMessages(tx, { workspaceId, mergedIds: [merged!], survivorIds: [survivor!] }, 10)
    await tx.query(
      `insert into contact_merges (workspace_id, merged_id, survivor_id, into_id, alias_hashes, actor_kind)
       values ($1, $2, $3, $3, '{}', 'system')`,
      [...[workspaceId, merged, survivor]],
    )
  })
  assert.deepEqual(await refusals(), [null])
  // As a stretch of the log does that began before the merge was committed.
  await rows(
    `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
     select $1, $2, $3, $4, id, 'exit', 9, now(), version, 0 from runs where automation_id = $2`,
    [workspaceId, automationId, lane.slot, merged],
  )
  assert.deepEqual(await refusals(), ['skipped:run_ended'])
})

const refusals = async () =>
  (await rows<{ refusal: string | null }>(`select ${queuedRefusal(true)} as refusal from messages m`)).map(
    ({ refusal }) => refusal,
  )

async function automation(): Promise<string> {
  const nodes = {
    mail: { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>', to: 'rest' },
    rest: { type: 'delay', days: 1, to: 'end' },
  }
  const draft = { format: 1, enter: { on: [{ manual: true }] }, exit: [{ event: 'left' }], start: 'mail', nodes }
  return inTransaction(pool, workspaceId, async (tx) => {
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, 'Merged', $2) returning id`,
      [workspaceId, JSON.stringify(draft)],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    await tx.query(`update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1`)
    return key.id
  })
}

async function contacts(...emails: string[]): Promise<string[]> {
  const made = await rows<{ id: string }>(
    'insert into contacts (workspace_id, email) select $1, unnest($2::text[]) returning id',
    [workspaceId, emails],
  )
  return made.map(({ id }) => id)
}
