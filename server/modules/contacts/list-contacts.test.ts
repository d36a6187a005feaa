import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { listContacts, type SegmentFilter } from './list-contacts.ts'
import type { ContactFilter } from './schemas.ts'
import { tidySearch } from './tidy-search.ts'

const seed = seedFrom('LIST_SEED')
console.log(`LIST_SEED=${seed}`)
const random = seededRandom(seed)
const { pool, workspaceId } = await testWorkspace()

/** The one segment that there is: contacts whose given name is Ada. */
const segmentFilter: SegmentFilter = async (_tx, workspace, { id: segmentId }) =>
  segmentId === '1' ? sql`select id from contacts where workspace_id = ${workspace} and first_name = 'Ada'` : undefined

const list = (query: ContactFilter & Partial<PageQuery>, workspace = workspaceId) =>
  listContacts({ sql: pool, segmentFilter }, workspace, { page: 1, pageSize: 1_000, ...query })
const run = <R extends object>(text: string, values: unknown[] = [], workspace = workspaceId) =>
  queryInScope<R>(pool, workspace, { text, values })

const PEOPLE = 500
const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
type Person = { id: string; email: string; firstName: string; lastName: string | null; tagged: boolean }

/** Contacts of ours and of others in turns, some of them erased again, so that ids have gaps. */
async function fill(): Promise<Person[]> {
  const others = await createWorkspace(pool)
  const people: Person[] = []
  await run(`insert into tags (workspace_id, name) values ($1, 'VIP'), ($1, 'Nobody’s')`, [workspaceId])
  for (let n = 0; n < PEOPLE; n++) {
    const one = {
      email: `${pick(['ada', 'bob', 'cy_', '50%'])}${n}@${pick(['example.com', 'mail.test'])}`,
      firstName: pick(['Ada', 'Grace', 'Ärzte', '王']),
      lastName: pick(['Lovelace', 'Hopper', null]),
      tagged: random() < 0.3,
    }
    const values = [workspaceId, one.email, one.firstName, one.lastName]
    const text =
      'insert into contacts (workspace_id, email, first_name, last_name) values ($1, $2, $3, $4) returning id::text'
    const [row] = await run<{ id: string }>(text, values)
    people.push({ ...one, id: row!.id })
    if (random() < 0.3) await run(text, [others, ...values.slice(1)], others)
  }
  const erased = new Set(people.filter(() => random() < 0.2).map(({ id }) => id))
  await run('delete from contacts where id = any ($1::bigint[])', [[...erased]])
  const left = people.filter(({ id }) => !erased.has(id))
  await run(
    `insert into contact_tags (workspace_id, tag_id, contact_id)
     select $1, (select id from tags where name = 'VIP'), unnest($2::bigint[])`,
    [workspaceId, left.filter(({ tagged }) => tagged).map(({ id }) => id)],
  )
  return left
}
const people = await fill()
const ids = (of: readonly { id: string }[]) => of.map(({ id }) => id)

/** Every way to cut the list into pages shows it whole, once, in order, with its total on each page. */
async function assertPaged(filter: ContactFilter, expected: readonly Person[]): Promise<void> {
  const pageSize = 1 + Math.floor(random() * 40)
  const seen: string[] = []
  for (let page = 1; page <= Math.ceil(expected.length / pageSize) + 1; page++) {
    const { items, total } = await list({ ...filter, page, pageSize })
    assert.equal(total, expected.length)
    seen.push(...ids(items))
  }
  assert.deepEqual(seen, ids(expected))
}

test('pages from both ends of a list fit together, whatever their size', async () => {
  await assertPaged({}, people)
  await assertPaged(
    { tag: 'vip' },
    people.filter(({ tagged }) => tagged),
  )
  await assertPaged(
    { search: 'lovelace' },
    people.filter(({ lastName }) => lastName === 'Lovelace'),
  )
  for (const filter of [{}, { tag: 'VIP' }, { search: 'ada' }]) {
    const far = await list({ ...filter, page: 2 ** 31 - 1 })
    assert.deepEqual([far.items, far.total > 0], [[], true])
  }
  assert.deepEqual(await list({}, await createWorkspace(pool)), { items: [], total: 0 })
})

test('search finds text anywhere in what a contact is called, whatever the case of its letters', async () => {
  const found = async (search: string) => ids((await list({ search })).items)
  const holding = (holds: (person: Person) => boolean) => ids(people.filter(holds))
  assert.deepEqual(
    await found('MAIL.test'),
    holding(({ email }) => email.endsWith('mail.test')),
  )
  assert.deepEqual(
    await found('ada love'),
    holding((one) => one.firstName === 'Ada' && one.lastName === 'Lovelace'),
  )
  assert.deepEqual(
    await found(' ärzte '),
    holding(({ firstName }) => firstName === 'Ärzte'),
  )
  assert.deepEqual(await found('  '), ids(people))
  assert.deepEqual(await found('no such text'), [])
})

test('one or two characters are looked for at the beginning of a field', async () => {
  const found = async (search: string) => ids((await list({ search })).items)
  const starts = (text: string) => (one: Person) =>
    [one.email, one.firstName, one.lastName].some((field) => field?.toLowerCase().startsWith(text))
  for (const text of ['a', 'ho', '王', 'b']) assert.deepEqual(await found(text), ids(people.filter(starts(text))))
})

test('what means something to LIKE is text in a search', async () => {
  const found = async (search: string) => ids((await list({ search })).items)
  assert.deepEqual(await found('50%'), ids(people.filter(({ email }) => email.startsWith('50%'))))
  assert.deepEqual(await found('cy_'), ids(people.filter(({ email }) => email.startsWith('cy_'))))
  for (const none of ['%%%', '___', 'a%a', '\\\\\\', "' or 1=1 --", '\\']) assert.deepEqual(await found(none), [])
})

test('filters narrow each other', async () => {
  const vipAdas = people.filter(({ tagged, firstName }) => tagged && firstName === 'Ada')
  await assertPaged({ tag: 'VIP', segmentId: '1' }, vipAdas)
  await assertPaged(
    { tag: 'VIP', segmentId: '1', search: 'example', updatedSince: '2020-01-01T00:00:00Z' },
    vipAdas.filter(({ email }) => email.endsWith('example.com')),
  )
  const [one, two] = people as [Person, Person]
  assert.deepEqual(ids((await list({ email: ` ${one.email.toUpperCase()}` })).items), [one.id])
  assert.equal((await list({ email: one.email, search: two.email })).total, 0)
  assert.equal((await list({ updatedSince: '2999-01-01T00:00:00Z' })).total, 0)
})

test('a tag that nobody has, or that is not there, is an empty list; a segment that is not there is refused', async () => {
  for (const tag of ['Nobody’s', 'never', '']) assert.deepEqual(await list({ tag }), { items: [], total: 0 })
  for (const segmentId of ['2', '99999999999999999999']) {
    await assert.rejects(list({ segmentId }), { statusCode: 422, message: /^\/segmentId is not a segment/ })
  }
})

test('a filter that takes too long to count is refused, and says which', async () => {
  const slow: SegmentFilter = async () => sql`select id from contacts where (select pg_sleep(5)) is not null`
  const listed = listContacts({ sql: pool, segmentFilter: slow }, workspaceId, { page: 1, pageSize: 1, segmentId: '1' })
  await assert.rejects(listed, { statusCode: 422, message: /^\/segmentId takes more than 1\.5 s/ })
})

test('a page that is longer than everybody may wait for is refused, and a shorter one is answered', async () => {
  const fat = await createWorkspace(pool)
  const fields = JSON.stringify({ note: 'x'.repeat(60_000) })
  await run(
    'insert into contacts (workspace_id, email, custom_fields) select $1, n || $2, $3::jsonb from generate_series(1, 150) n',
    [fat, '@fat.example', fields],
    fat,
  )
  await assert.rejects(list({}, fat), (error: { code: string; errors: unknown }) => {
    assert.equal(error.code, 'invalid-request')
    assert.deepEqual(error.errors, [
      { pointer: '/pageSize', detail: 'asks for a page of more than 8 MiB: ask for fewer at once' },
    ])
    return true
  })
  assert.equal((await list({ pageSize: 100 }, fat)).items.length, 100)
})

test('the search text follows every change of a contact', async () => {
  const [row] = await run<{ id: string }>(
    `insert into contacts (workspace_id, subject_id) values ($1, 'quicksilver') returning id::text`,
    [workspaceId],
  )
  const found = async (search: string) => (await list({ search })).items.some(({ id }) => id === row!.id)
  assert.ok(await found('icksil'))
  await run(`update contacts set subject_id = null, phone = '+49 170 7777' where id = $1`, [row!.id])
  assert.deepEqual([await found('icksil'), await found('170 77')], [false, true])
  await run('delete from contacts where id = $1', [row!.id])
  const [left] = await run<{ count: string }>('select count(*) from contact_search where contact_id = $1', [row!.id])
  assert.equal(left!.count, '0')
})

test('contacts are found while they wait to be sorted into the index, and after', async () => {
  // A vacuum sorts them in as well.
  await run('alter table contact_search set (autovacuum_enabled = off)')
  await tidySearch(pool)
  await run(
    `insert into contacts (workspace_id, subject_id) select $1, 'chrysanthemum-' || n from generate_series(1, 2000) n`,
    [workspaceId],
  )
  const found = async () => (await list({ search: 'anthemum-19' })).total
  assert.equal(await found(), 111)
  assert.ok((await tidySearch(pool)) > 0)
  assert.deepEqual([await found(), await tidySearch(pool)], [111, 0])
})

test('a total and its page are of one moment while others write', async () => {
  const workspace = await createWorkspace(pool)
  let going = true
  const writer = async () => {
    while (going) {
      const [row] = await run<{ id: string }>(
        'insert into contacts (workspace_id, subject_id) values ($1, gen_random_uuid()::text) returning id::text',
        [workspace],
        workspace,
      )
      if (random() < 0.3) await run('delete from contacts where id = $1', [row!.id], workspace)
    }
  }
  const writers = [writer(), writer(), writer()]
  const reading = async () => {
    for (let reads = 0; reads < 50; reads++) {
      const { items, total } = await list({}, workspace)
      assert.equal(items.length, Math.min(total, 1_000))
      const last = await list({ page: Math.max(1, total - 1), pageSize: 1 }, workspace)
      assert.ok(last.total === 0 || last.items.length === 1 || last.total < total - 1)
    }
  }
  await reading().finally(() => {
    going = false
  })
  await Promise.all(writers)
})
