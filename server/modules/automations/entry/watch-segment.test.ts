import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { persistEvent } from '../../events/persist-event.ts'
import { deleteSegmentRow } from '../../segments/queries.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { dropListens } from '../definition/write-listens.ts'
import { findFaults } from '../seeing/find-faults.ts'
import { enrollAutomations } from './enroll-automations.ts'
import { watchSegment } from './watch-segment.ts'
import { askForLooks } from './watch-segments.ts'

const { pool, workspaceId } = await testWorkspace()
await registerGroups(pool, [persistEvent, enrollAutomations])
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
const named = (name: string) => JSON.stringify({ rules: [{ field: 'first_name', operator: '=', value: name }] })

test('who comes into a watched segment or goes out of it is told once, and nobody for its beginning or its rules', async () => {
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'VIP', $2) returning id`,
    [workspaceId, named('VIP')],
  )
  const key = { workspaceId, segmentId: segment!.id }
  const id = await inTransaction(pool, workspaceId, async (tx) => {
    const on = [{ segment: key.segmentId, when: 'enters' }]
    const draft = { format: 1, enter: { on }, exit: [{ ...on[0], when: 'leaves' }], start: 'end', nodes: {} }
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft, segment_ids) values ($1, 'VIPs', $2, array[$3::bigint]) returning id`,
      [workspaceId, JSON.stringify(draft), key.segmentId],
    )
    const automation = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, automation, (await automationForChange(tx, automation))!)
    await setSwitches(tx, automation, { publishedVersion, entryOpen: true })
    await tx.query(
      `insert into contacts (workspace_id, email, first_name)
       select $1, 'p' || n || '@example.com', case n when 1 then 'VIP' else 'No' end from generate_series(1, 4) n`,
      [workspaceId],
    )
    return automation.id
  })
  const look = async () => {
    const [before] = await rows<{ last: string }>('select coalesce(max(position), 0) as last from outbox')
    assert.equal(await watchSegment(pool, key, AbortSignal.timeout(60_000)), 'done')
    const told = await rows<{ what: string }>(
      `select name || ' ' || email || ' ' || (data ->> 'segmentId') as what from outbox where position > $1 order by position`,
      [before!.last],
    )
    return told.map(({ what }) => what.replace(` ${key.segmentId}`, ''))
  }
  const rename = (email: string, name: string) =>
    rows('update contacts set first_name = $2 where email = $1', [`${email}@example.com`, name])
  const rules = (text: string) => rows('update segments set definition = $2 where id = $1', [key.segmentId, text])
  const due = () => rows('update segment_watches set next_check_at = now()')
  const watch = async () =>
    (
      await rows<{ error: string | null; checked: boolean }>(
        'select error, checked_at is not null as checked from segment_watches',
      )
    )[0]

  assert.deepEqual(await look(), [], 'those in it at the beginning')
  await rename('p2', 'VIP')
  await rename('p3', 'VIP')
  await rename('p1', 'No')
  assert.deepEqual(await look(), [
    'segment.left p1@example.com',
    'segment.entered p2@example.com',
    'segment.entered p3@example.com',
  ])
  assert.deepEqual(await look(), [])
  await rows(`delete from contacts where email = 'p3@example.com'`)
  assert.deepEqual(await look(), [], 'who is no more has not gone out of it')
  await rules(named('No'))
  assert.deepEqual(await look(), [], 'the rules have changed, not the people')
  await rename('p2', 'No')
  assert.deepEqual(await look(), ['segment.entered p2@example.com'])
  await rename('p1', 'VIP')
  await look()
  await rules(named('VIP'))
  let chunks = 0
  const afterChunk = {
    get aborted() {
      return chunks++ > 0
    },
  } as AbortSignal
  assert.equal(await watchSegment(pool, key, afterChunk), 'stopped')
  await rules(named('No'))
  assert.deepEqual(await look(), [], 'rules that were taken back while they were being applied')
  await rules(JSON.stringify({ rules: [{ field: 'nonsense', operator: '=', value: '1' }] }))
  assert.deepEqual(await look(), [])
  assert.match((await watch())!.error!, /nonsense|field/)
  await rules(named('No'))
  await look()
  assert.match((await watch())!.error!, /nonsense|field/, 'it rests, whoever asks meanwhile')
  const unswept = async () => (await findFaults(pool)).find(({ fault }) => fault === 'unswept')?.found
  await rows(`update segment_watches set due_at = now() - interval '1 hour'`)
  await due()
  await askForLooks(pool)
  await askForLooks(pool)
  assert.equal(await unswept(), 1, 'to be asked for is not to be looked at')
  const [asked] = await rows<{ asked: string }>(
    `select count(*) as asked from jobs.job_common where data::text like '%segmentId%'`,
  )
  assert.equal(asked!.asked, '1')
  assert.deepEqual(await rows('select from segment_watches where next_check_at <= now()'), [])
  assert.deepEqual(await look(), [])
  assert.deepEqual(await watch(), { error: null, checked: true })
  assert.equal(await unswept(), 0)
  await inTransaction(pool, workspaceId, (tx) => dropListens(tx, { workspaceId, id }))
  assert.deepEqual(await look(), [])
  assert.deepEqual(await rows('select from segment_members'), [])
  assert.equal(await watch(), undefined, 'nobody listens any more')
})

test('a segment is deleted by itself, and who was in it is forgotten in steps by the look that nobody asks for', async () => {
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'Many', $2) returning id`,
    [workspaceId, named('Many')],
  )
  const key = { workspaceId, segmentId: segment!.id }
  await rows(
    `with watch as (insert into segment_watches (workspace_id, segment_id) values ($1, $2)), people as (
       insert into contacts (workspace_id, email) select $1, 'm' || n || '@many.example' from generate_series(1, 3000) n returning id)
     insert into segment_members (workspace_id, segment_id, contact_id) select $1, $2, id from people`,
    [workspaceId, key.segmentId],
  )
  await inTransaction(pool, workspaceId, (tx) => deleteSegmentRow(tx, workspaceId, key.segmentId))
  const left = () => rows('select from segment_members where segment_id = $1', [key.segmentId])
  assert.equal((await left()).length, 3_000)
  assert.equal(await watchSegment(pool, key, AbortSignal.timeout(60_000)), 'done')
  assert.deepEqual(
    [await left(), await rows('select from segment_watches where segment_id = $1', [key.segmentId])],
    [[], []],
  )
})
