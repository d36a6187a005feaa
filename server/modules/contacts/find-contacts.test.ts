import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { applyTags, ensureTags } from '../tags/apply-tags.ts'
import { type FindDeps, type FoundChunk, findContacts } from './find-contacts.ts'
import type { IdStretch, SegmentFilter } from './list-contacts.ts'
import type { ContactFilter } from './schemas.ts'

const PEOPLE = 230
const CHUNK_MAX = 20
/** Far longer than anything takes here that is not told to. */
const stretch = { msMax: 60_000, contactsMax: 40, contactsMin: 1 }

const { pool, workspaceId, caller } = await testWorkspace()
const run = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
const everybody = async (condition = 'true') =>
  (await run<{ id: string }>(`select id from contacts where ${condition} order by id`)).map(({ id }) => id)

await run(
  `insert into contacts (workspace_id, email, first_name, custom_fields)
   select $1, 'c' || n || '@' || case when n % 3 = 0 then 'three' else 'other' end || '.example',
     case when n % 2 = 0 then 'Ada' end, jsonb_build_object('plan', case when n % 5 = 0 then 'pro' else 'free' end)
   from generate_series(1, $2::int) n`,
  [workspaceId, PEOPLE],
)
await run('delete from contacts where id % 7 = 0')

/** Those with a given name. */
const named: SegmentFilter = async (_tx, workspace) =>
  sql`select id from contacts where workspace_id = ${workspace} and first_name = 'Ada'`
const find = (filter: ContactFilter, given: Partial<FindDeps> = {}) =>
  findContacts(
    { pool, segmentFilter: named, stretch, ...given },
    {
      ...{ workspaceId, chunkMax: CHUNK_MAX },
      readFilter: async () => filter,
    },
  )
const idsOf = (found: readonly FoundChunk[]) => found.flatMap(({ ids }) => ids.split(','))

test('whoever fits is found once, in the order of ids, by stretches as at once', async () => {
  const tagged = (await everybody()).slice(10, 90)
  await inTransaction(pool, workspaceId, async (tx) => {
    const tags = await ensureTags(tx, caller, ['VIP'])
    await applyTags(
      tx,
      caller,
      tagged.map((contactId) => ({ contactId, tagId: tags.get('vip')! })),
    )
  })
  const cases: [ContactFilter, string][] = [
    [{}, 'true'],
    [{ segmentId: '1' }, `first_name = 'Ada'`],
    [{ search: 'three.example' }, `email like '%three.example'`],
    [{ customField: 'plan:pro' }, `custom_fields ->> 'plan' = 'pro'`],
    [
      { search: 'three', segmentId: '1', customField: 'plan:free' },
      `email like '%three%' and first_name = 'Ada' and custom_fields ->> 'plan' = 'free'`,
    ],
    [{ search: 'nobody at all' }, 'false'],
  ]
  for (const [filter, condition] of cases) {
    const found = await find(filter)
    assert.deepEqual(idsOf(found), await everybody(condition), JSON.stringify(filter))
    for (const { ids, size, lastId } of found)
      assert.deepEqual([size, lastId, size <= CHUNK_MAX], [ids.split(',').length, ids.split(',').at(-1), true])
  }
  assert.deepEqual(idsOf(await find({ tag: 'vip' })), tagged)
})

test('whom a filter finds is of one moment, whatever changes while it looks', async () => {
  const before = await everybody(`first_name = 'Ada'`)
  let looks = 0
  const segmentFilter: SegmentFilter = async (...asked) => {
    looks++
    if (looks === 2) {
      await run(
        `update contacts set first_name = case when first_name is null then 'Ada' end where id % 2 = 1 or id > 100`,
      )
      await run(`delete from contacts where id = $1`, [before.at(-1)])
      await run(`insert into contacts (workspace_id, email, first_name) values ($1, 'late@example.com', 'Ada')`, [
        workspaceId,
      ])
    }
    return named(...asked)
  }
  const found = await find({ segmentId: '1' }, { segmentFilter })
  assert.ok(looks > 2)
  assert.deepEqual(idsOf(found), before)
  assert.notDeepEqual(await everybody(`first_name = 'Ada'`), before)
})

test('a stretch that takes too long is looked through in smaller ones', async () => {
  const asked: IdStretch[] = []
  const slowAtFirst: SegmentFilter = async (...given) => {
    asked.push(given[2].range!)
    return asked.length === 1 ? sql`select id from contacts where (select pg_sleep(600)) is not null` : named(...given)
  }
  const given = { segmentFilter: slowAtFirst, stretch: { ...stretch, msMax: 2_000 } }
  assert.deepEqual(idsOf(await find({ segmentId: '1' }, given)), await everybody(`first_name = 'Ada'`))
  const [first, again] = asked
  assert.equal(again!.after, first!.after)
  assert.ok(Number(again!.to) < Number(first!.to))
})

test('where even the smallest stretch takes too long, it says so', async () => {
  const slow: SegmentFilter = async () => sql`select id from contacts where (select pg_sleep(600)) is not null`
  const given = { segmentFilter: slow, stretch: { ...stretch, msMax: 30 } }
  await assert.rejects(find({ segmentId: '1' }, given), /1 contacts take longer to look through than 30 ms/)
})
