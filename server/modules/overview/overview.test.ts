import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { About } from './read-series.ts'
import { readSeries } from './read-series.ts'
import { readSpan } from './read-span.ts'
import type { SeriesQuery } from './schemas.ts'

const { pool, workspaceId } = await testWorkspace()
const NOW = new Date('2026-11-22T10:20:00Z')
const LAST_MS = 86_400_000

const series = (query: SeriesQuery, about: About = '', id = workspaceId) =>
  readSeries(pool, { workspaceId: id, about, span: readSpan(query, { now: NOW, lastMs: LAST_MS }) })
const keep = (about: string, hour: string, kinds: Record<string, number>) =>
  queryInScope(pool, workspaceId, {
    text: `insert into message_hours (workspace_id, about, hour, kind, shard, total)
      select $1, $2, $3, key, s, value::bigint from jsonb_each_text($4) cross join generate_series(1, 2) s`,
    values: [workspaceId, about, hour, JSON.stringify(kinds)],
  })
const byMachines = (hour: string, kind: string, messages: number) =>
  queryInScope(pool, workspaceId, {
    text: `insert into hit_hours (workspace_id, about, hour, kind, machine_messages) values ($1, '', $2, $3, $4)`,
    values: [workspaceId, hour, kind, messages],
  })

await keep('', '2026-11-22T08:00:00Z', { accepted: 10, opened: 3, clicked: 1 })
await keep('', '2026-11-22T10:00:00Z', { accepted: 4, failed: 1, bounced: 1, complained: 1, unsubscribed: 2 })
await keep('', '2026-11-20T22:00:00Z', { accepted: 7 })
await keep('broadcast 9', '2026-11-22T08:00:00Z', { accepted: 2 })
await byMachines('2026-11-22T08:00:00Z', 'open', 6)
await byMachines('2026-11-22T09:00:00Z', 'click', 5)

test('hours follow each other without gaps, sum up to the totals, and have people and machines apart', async () => {
  const { series: points, totals } = await series({ from: '2026-11-22T07:30:00Z', interval: 'hour' })
  assert.deepEqual(
    points.map(({ at, accepted, openedByPeople, openedByMachines, clickedByMachines }) => [
      at.slice(11, 16),
      accepted,
      openedByPeople,
      openedByMachines,
      clickedByMachines,
    ]),
    [
      ['07:00', 0, 0, 0, 0],
      ['08:00', 20, 6, 6, 0],
      ['09:00', 0, 0, 0, 5],
      ['10:00', 8, 0, 0, 0],
    ],
  )
  assert.deepEqual(totals, {
    ...{ accepted: 28, failed: 2, bounced: 2, complained: 2, unsubscribed: 4 },
    ...{ openedByPeople: 6, openedByMachines: 6, clickedByPeople: 2, clickedByMachines: 5 },
  })
})

test('days are those of the zone, also where a clock is put back between them', async () => {
  const { series: utc } = await series({ from: '2026-11-20T00:00:00Z' })
  assert.deepEqual(
    utc.map(({ at, accepted }) => [at, accepted]),
    [
      ['2026-11-20T00:00:00Z', 14],
      ['2026-11-21T00:00:00Z', 0],
      ['2026-11-22T00:00:00Z', 28],
    ],
  )
  const { series: tokyo } = await series({ from: '2026-11-20T00:00:00Z', timeZone: 'asia/tokyo' })
  assert.deepEqual(
    tokyo.map(({ at, accepted }) => [at, accepted]),
    [
      ['2026-11-19T15:00:00Z', 0],
      ['2026-11-20T15:00:00Z', 14],
      ['2026-11-21T15:00:00Z', 28],
    ],
  )
  const around = { from: '2026-10-24T00:00:00Z', to: '2026-10-27T00:00:00Z', timeZone: 'Europe/Berlin' }
  const { series: berlin } = await series(around)
  assert.deepEqual(
    berlin.map(({ at }) => at),
    ['2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z'],
  )
})

test('days of a zone that begin within an hour of UTC have the mail of their own', async () => {
  const id = await createWorkspace(pool)
  await queryInScope(pool, id, {
    text: `insert into messages (workspace_id, purpose, source_kind, destination)
      select $1, 'transactional', 'email', 'ada@example.com' from generate_series(1, 2)`,
    values: [id],
  })
  const accept = (at: string) =>
    queryInScope(pool, id, {
      text: `update messages m set state = 'accepted', settled_at = $2
        where m.workspace_id = $1 and m.id = (select min(id) from messages where workspace_id = $1 and state = 'pending')`,
      values: [id, at],
    })
  await accept('2026-11-20T18:20:00Z')
  await accept('2026-11-20T18:40:00Z')
  const asked = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T12:00:00Z', timeZone: 'Asia/Kolkata' }
  const { series: days } = await series(asked, '', id)
  assert.deepEqual(
    days.map(({ at, accepted }) => [at, accepted]),
    [
      ['2026-11-19T18:30:00Z', 1],
      ['2026-11-20T18:30:00Z', 1],
    ],
  )
})

test('the time before is as long as the one that is asked for', async () => {
  const { before, totals } = await series({ from: '2026-11-22T00:00:00Z', to: '2026-11-24T00:00:00Z' })
  assert.deepEqual([before.accepted, totals.accepted], [14, 28])
})

test('one broadcast is read apart from all mail, and one workspace from others', async () => {
  const { totals } = await series({ from: '2026-11-22T00:00:00Z' }, 'broadcast 9')
  assert.equal(totals.accepted, 4)
  const other = await series({ from: '2026-11-22T00:00:00Z' }, '', await createWorkspace(pool))
  assert.equal(other.totals.accepted, 0)
})

test('a span that ends before it begins, has too many points, or an unknown zone is refused', async () => {
  for (const [query, pointer] of [
    [{ from: '2026-11-22T00:00:00Z', to: '2026-11-22T00:00:00Z' }, '/to'],
    [{ from: '2026-10-01T00:00:00Z', interval: 'hour' }, '/to'],
    [{ from: '2020-10-01T00:00:00Z' }, '/to'],
    [{ timeZone: 'Mars/Base' }, '/timeZone'],
  ] as const) {
    await assert.rejects(
      async () => series(query),
      (error: { statusCode: number; errors: { pointer: string }[] }) =>
        error.statusCode === 400 && error.errors[0]?.pointer === pointer,
    )
  }
})
