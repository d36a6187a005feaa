import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { ensurePartitions } from '../../../platform/db/partitions.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { EVENT_PARTITIONS } from '../../events/queries.ts'
import { differenceOfShares } from './difference-of-shares.ts'
import { readLift } from './lift.ts'

const { pool, workspaceId } = await testWorkspace()
const query = <Row>(text: string, values: unknown[] = []) =>
  queryInScope<Row & object>(pool, workspaceId, { text, values })

test('intervals of differences are those of the table in the paper that they are from', () => {
  const rounded = (...[a, m, b, n]: [number, number, number, number]) => {
    const { value, low, high } = differenceOfShares({ reached: a, people: m }, { reached: b, people: n })
    return [value, low, high].map((share) => share.toFixed(4))
  }
  assert.deepEqual(rounded(56, 70, 48, 80), ['0.2000', '0.0524', '0.3339'])
  assert.deepEqual(rounded(9, 10, 3, 10), ['0.6000', '0.1705', '0.8090'])
  assert.deepEqual(rounded(10, 10, 0, 20), ['1.0000', '0.6791', '1.0000'])
  assert.deepEqual(rounded(0, 10, 0, 20), ['0.0000', '-0.1611', '0.2775'])
})

test('people who came in and people held out are held to the same goal, whoever is still inside', async () => {
  await ensurePartitions(pool, EVENT_PARTITIONS, new Date('2025-03-03'))
  const goal = {
    ...{ event: 'order.paid', within: 'P2D', match: { cartId: 'cartId' } },
    where: [{ property: 'total', operator: '>=', value: 10 }],
  }
  const definition = { format: 1, enter: { on: [{ event: 'cart' }], holdout: 5_000 }, goal, start: 'end', nodes: {} }
  const [{ id }] = (await query<{ id: string }>(
    `with a as (
      insert into automations (workspace_id, name, draft, published_version) values ($1, 'Carts', $2, 1) returning id
    ), v as (
      insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, 1, $2 from a
    ) select id from a`,
    [workspaceId, JSON.stringify(definition)],
  )) as [{ id: string }]
  // Ten came in, of whom two are still inside; the next six were held out. The tenth came in twice.
  const people = await query<{ id: string }>(
    `insert into contacts (workspace_id, email, time_zone) select $1, 'p' || n || '@example.com', 'Europe/Berlin'
     from generate_series(1, 16) n returning id`,
    [workspaceId],
  )
  const ids = people.map((one) => one.id)
  await query(
    `with n as (select id, n from unnest($2::text[]::int8[]) with ordinality g(id, n)),
     carts as (
       insert into events (workspace_id, id, type, name, subject, recorded_at, occurred_at, contact_id, data)
       select $1, 1000 + n, 'event.recorded', 'cart', '', at, at, id, jsonb_build_object('cartId', n)
       from n, (values (timestamptz '2025-03-03T12:00Z')) v(at) returning id),
     live as (
       insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, event_id, event_at, depth,
         node, visit, state, at, at_position)
       select $1, n, $3, 1, id, '', now(), timestamptz '2025-03-03T12:00Z', 1000 + n, timestamptz '2025-03-03T12:00Z', 0, 'd', 1, 'waiting',
         now(), n from n where n <= 2)
     insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id, event_at,
       state, node, visit, ended_at)
     select $1, n + 100 * again::int, now(), $3, 1, id, again, timestamptz '2025-03-03T12:00Z' + make_interval(days => again::int), 1000 + n,
       timestamptz '2025-03-03T12:00Z', case when n > 10 then 'held_out' else 'completed' end, 'end', 1, now()
     from n cross join lateral unnest(case when n = 10 then array['0', '1'] else array['0'] end) again where n > 2`,
    [workspaceId, ids, id],
  )
  const bought = async (n: number, { hours = 1, total = 10, cartId = n, name = 'order.paid' } = {}) =>
    query(
      `insert into events (workspace_id, id, type, name, subject, recorded_at, occurred_at, contact_id, data)
       select $1, $2, 'event.recorded', $3, '', at, at, $5, $6
       from (values (timestamptz '2025-03-03T12:00Z' + make_interval(hours => $4))) v(at)`,
      [workspaceId, 2_000 + n, name, hours, ids[n - 1], JSON.stringify({ cartId, total })],
    )
  await bought(1)
  await bought(3, { hours: 48 })
  await bought(4, { hours: 49 })
  await bought(5, { total: 9 })
  await bought(6, { cartId: 99 })
  await bought(7, { hours: -1 })
  await bought(8, { name: 'order.made' })
  await bought(10, { hours: 30 })
  await bought(11)
  await bought(12, { hours: 60 })
  const span = { from: '2025-03-03T00:00:00Z', to: '2025-03-04T00:00:00Z' }
  const { entered, heldOut, difference, lift, isPartial } = await readLift(pool, { workspaceId, id }, span)
  assert.deepEqual(entered, { people: 10, reached: 3, share: 0.3 })
  assert.deepEqual(heldOut, { people: 6, reached: 1, share: 1 / 6 })
  assert.deepEqual(difference, differenceOfShares(entered, heldOut))
  assert.deepEqual([lift!.toFixed(3), isPartial], ['0.800', false])
  const later = await readLift(pool, { workspaceId, id }, { from: span.to, to: '2025-03-05T00:00:00Z' })
  assert.deepEqual(
    [later.entered, later.heldOut, later.difference, later.lift],
    [{ people: 1, reached: 1, share: 1 }, { people: 0, reached: 0, share: null }, null, null],
  )
  await assert.rejects(readLift(pool, { workspaceId, id: '999' }, {}), { code: 'not-found' })
})
