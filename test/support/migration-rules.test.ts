import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollingFindings } from './migration-rules.ts'

const OLD = { path: 'migrations/0003_old.sql', text: 'create table contacts (id int);\ncreate table tags (id int);' }
/** What is found in a migration after the first release. */
const found = (text: string) =>
  rollingFindings([{ path: 'migrations/0061_new.sql', text }, OLD]).map(({ message }) => message)

test('a migration that the version before goes on with says so, and takes nothing away', () => {
  assert.deepEqual(found('-- keeps 0060\ncreate table things (id int);\nalter table contacts add column x int;'), [])
  assert.match(found('create table things (id int);')[0]!, /says in its head neither/)
  assert.match(found('-- keeps 0061\nselect 1;')[0]!, /keeps versions that have it already/)
  for (const taken of [
    'drop column x',
    'rename column x to y',
    'alter column x set not null',
    'alter column x type text',
  ]) {
    const statement = `alter table contacts ${taken};`
    assert.match(found(`-- keeps 0060\n${statement}`)[0]!, /takes something away/, taken)
    assert.deepEqual(found(`-- keeps 0060\n-- contracts: nobody reads it since 0058\n${statement}`), [])
    assert.deepEqual(found(`-- keeps none: everybody reads it\n${statement}`), [])
  }
  assert.deepEqual(
    rollingFindings([{ ...OLD, text: 'alter table contacts drop column x' }]),
    [],
    'of the first release',
  )
})

test('a migration locks one table that is in use, and makes its indexes outside of a transaction', () => {
  const both =
    'alter table contacts add column x int; create trigger t after insert on tags for each row execute function f();'
  assert.deepEqual(found(`-- keeps 0060\n${both}`), ['locks contacts and tags in one transaction: a file for each'])
  const own = 'create table things (id int); alter table things add check (id > 0); create index on things (id);'
  assert.deepEqual(found(`-- keeps 0060\n${own}`), [])
  assert.match(found('-- keeps 0060\ncreate index by_id on contacts (id);')[0]!, /an index on contacts/)
  const index = 'create index concurrently if not exists by_id on contacts (id);'
  assert.match(found(`-- keeps 0060\n${index}`)[0]!, /"-- outside a transaction"/)
  assert.deepEqual(found(`-- keeps 0060\n-- outside a transaction\n${index}`), [])
  assert.match(
    found('-- keeps 0060\n-- outside a transaction\nselect 1;')[0]!,
    /outside a transaction cannot have: select 1/,
  )
})

test('a migration goes through rows beside those who write, not while it keeps them from a table', () => {
  const later = (text: string) =>
    rollingFindings([{ path: 'migrations/0190_new.sql', text: `-- keeps 0163\n${text}` }, OLD]).map(
      ({ message }) => message,
    )
  const trigger = 'create trigger t after insert on contacts for each row execute function f();'
  const fill = 'insert into sums select count(*) from contacts;'
  const own = 'create table sums (n int);'
  assert.match(later(`${own}\n${trigger}\n${fill}`)[0]!, /goes through rows while others wait for contacts/)
  assert.deepEqual(later(`${own}\n${trigger}\n-- beside others\n${fill}`), [])
  assert.deepEqual(later(`${own}\n${fill}`), [], 'nobody waits')
  const check = 'alter table contacts add constraint c check (id > 0)'
  for (const scan of [
    check,
    'alter table contacts validate constraint c',
    'update contacts set id = 1; lock table tags',
  ])
    assert.match(later(`${scan};`)[0]!, /goes through rows/, scan)
  assert.deepEqual(later(`${check} not valid;`), [])
})
