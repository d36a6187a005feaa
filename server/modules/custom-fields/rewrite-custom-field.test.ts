import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { updateContact } from '../contacts/update-contact.ts'
import type { FieldType } from './fit-value.ts'
import { changeField, declareField, deleteField, type FieldDeps, retypeField } from './manage-fields.ts'
import { listFields, readField, readRetype } from './read-fields.ts'
import { rewriteCustomField } from './rewrite-custom-field.ts'
import { takeCustomFields } from './take-custom-fields.ts'

const seed = seedFrom('FIELDS_SEED')
console.log(`FIELDS_SEED=${seed}`)
const random = seededRandom(seed)
const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!

const { pool, workspaceId, caller } = await testWorkspace()
const nothing = async () => undefined
const deps: FieldDeps = { sql: pool, enqueueRewrite: nothing, onKeyChange: nothing, usedBy: async () => [] }
const contactDeps = { sql: pool }
const never = new AbortController().signal
const walk = (fieldId: string, through = pool) => rewriteCustomField({ pool: through }, { workspaceId, fieldId }, never)

const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
let keys = 0
const newKey = (name: string) => `${name}-${++keys}`
const declare = (key: string, type: FieldType = 'string') => declareField(deps, caller, { key, type })
const rename = (id: string, key: string) => changeField(deps, caller, { id, change: { key } })
const retype = (id: string, type: FieldType, dryRun = false) => retypeField(deps, caller, { id, type, dryRun })
/** Contacts that have a value (JSON) under the key, a value of the list for each. */
async function fill(key: string, values: readonly string[]): Promise<string[]> {
  const made = await rows<{ id: string }>(
    `insert into contacts (workspace_id, subject_id, custom_fields)
     select $1, gen_random_uuid()::text, jsonb_build_object($2::text, value::jsonb, 'other', 1)
     from unnest($3::text[]) with ordinality as given (value, n) order by n returning id::text`,
    [workspaceId, key, values],
  )
  return made.map(({ id }) => id)
}
const valuesOf = async (ids: readonly string[], key: string) =>
  (
    await rows<{ value: string | null }>(
      'select (custom_fields -> $2)::text as value from contacts where id = any ($1::bigint[]) order by id',
      [ids, key],
    )
  ).map(({ value }) => value)
const many = (number: number, value = (n: number) => `${n}`) => Array.from({ length: number }, (_, n) => value(n))

/** A pool whose connections die in the `nth` transaction that uses it, as when their process is killed. */
function dyingPool(nth: number): typeof pool {
  let connections = 0
  return {
    connect: async () => {
      const client = await pool.connect()
      if (++connections >= nth) {
        const { query, release } = client
        // A transaction that ends before it was to die leaves a whole connection to whoever has it next.
        client.release = (...args: Parameters<typeof release>) => {
          client.query = query
          release.apply(client, args)
        }
        let left = Math.floor(random() * 5) + 1
        client.query = ((...args: Parameters<typeof query>) => {
          if (--left > 0) return query.apply(client, args)
          client.query = query
          return (query as (text: string) => unknown).call(client, 'select pg_terminate_backend(pg_backend_pid())')
        }) as typeof query
      }
      return client
    },
  } as unknown as typeof pool
}

/** Runs the job again and again, each run dying somewhere, until it comes to its end. */
async function walkThroughKills(fieldId: string): Promise<number> {
  for (let kills = 0; ; kills++) {
    const end = await walk(fieldId, kills < 4 ? dyingPool(1 + Math.floor(random() * 3)) : pool).catch(() => 'killed')
    if (end === 'done') return kills
  }
}

test('a renamed key counts at once, its values follow, and a newer one under the new key stays', async () => {
  const [from, to] = [newKey('town'), newKey('city')]
  const field = await declare(from)
  const ids = await fill(from, ['"Ulm"', '"Rom"', '{"nested": [9007199254740993]}'])
  const before = await rows('select updated_at from contacts where id = any ($1::bigint[])', [ids])
  assert.equal((await rename(field.id, to)).key, to)
  await updateContact(contactDeps, caller, { id: ids[1]!, body: { customFields: { [to]: 'Oslo' } } })
  await updateContact(contactDeps, caller, { id: ids[0]!, body: { customFields: { [from]: 'Bonn' } } })
  assert.deepEqual(await valuesOf(ids.slice(0, 2), to), ['"Bonn"', '"Oslo"'])
  await assert.rejects(rename(field.id, newKey('place')), { statusCode: 422 })
  await assert.rejects(declare(from), { statusCode: 409 })
  await rows(`update contacts set custom_fields = custom_fields || '{"${from}": "older"}' where id = $1`, [ids[1]])
  assert.equal(await walk(field.id), 'done')
  assert.deepEqual(await valuesOf(ids, to), ['"Bonn"', '"Oslo"', '{"nested": [9007199254740993]}'])
  assert.deepEqual(await valuesOf(ids, from), [null, null, null])
  const after = await rows('select updated_at from contacts where id = $1', [ids[2]])
  assert.deepEqual(after[0], before[2], 'a rename is no change of the contact')
  assert.notEqual((await declare(from)).id, field.id, 'the old key is free again')
})

test('a rename that is killed again and again loses nothing, whatever is written meanwhile', async () => {
  const [from, to] = [newKey('from'), newKey('to')]
  const field = await declare(from)
  const ids = await fill(
    from,
    many(3_500, (n) => `"v${n}"`),
  )
  const expected = new Map(ids.map((id, n) => [id, `"v${n}"` as string | null]))
  await rename(field.id, to)
  let walking = true
  // A value written under the old key once the rename was over belongs to that key again.
  const late = new Set<string>()
  const writer = async () => {
    for (let n = 0; walking; n++) {
      const id = pick(ids)
      const value = pick(['removed', 'kept', 'set'])
      const key = pick([from, to])
      if (value === 'kept') await updateContact(contactDeps, caller, { id, body: { firstName: `n${n}` } })
      else {
        const customFields = { [key]: value === 'removed' ? null : `w${n}` }
        const row = await updateContact(contactDeps, caller, { id, body: { customFields } })
        const stored = Object.keys(row.customFields)
        if (key === from && stored.includes(value === 'removed' ? to : from)) late.add(id)
        else expected.set(id, value === 'removed' ? null : `"w${n}"`)
      }
    }
  }
  const writing = writer()
  const kills = await walkThroughKills(field.id).finally(() => {
    walking = false
  })
  await writing
  assert.ok(kills >= 1)
  assert.deepEqual(await valuesOf(ids, to), [...expected.values()])
  assert.ok(late.size <= 2, `${late.size} values were written under the old key`)
  const left = await rows<{ id: string }>('select id::text from contacts where custom_fields ? $1', [from])
  assert.deepEqual(
    left.filter(({ id }) => !late.has(id)),
    [],
  )
})

test('a retype converts what fits, leaves and reports what does not, and holds new values at once', async () => {
  const key = newKey('seats')
  const [first, ...more] = await fill(key, ['"42"', '"many"', '7', 'true', '"007"', '"9007199254740993"', '[1]'])
  const contact = await createContact(contactDeps, caller, { subjectId: key, customFields: { [key]: 'free' } })
  const [field] = (await listFields(pool, workspaceId, { page: 1, pageSize: 1, key })).items
  assert.deepEqual([field!.type, field!.declared], ['string', false])
  await retype(field!.id, 'number')
  const running = await readRetype(pool, workspaceId, field!.id)
  assert.deepEqual([running.state, running.examined, running.finishedAt], ['running', 0, null])
  const late = { id: contact.id, body: { customFields: { [key]: 'later' } } }
  await assert.rejects(updateContact(contactDeps, caller, late), { statusCode: 422 })
  await walk(field!.id)
  const report = await readRetype(pool, workspaceId, field!.id)
  assert.deepEqual([report.state, report.fitting, report.unfit], ['finished', 3, 5])
  assert.deepEqual(
    report.samples.map(({ value }) => JSON.stringify(value)),
    ['"many"', 'true', '"007"', '[1]', '"free"'],
  )
  assert.equal(report.samples.at(-1)?.contactId, contact.id)
  assert.deepEqual(await valuesOf([first!, ...more], key), [
    '42',
    '"many"',
    '7',
    'true',
    '"007"',
    '9007199254740993',
    '[1]',
  ])
  assert.equal((await readField(pool, workspaceId, field!.id)).type, 'number')
})

test('a dry run reports the same and changes nothing', async () => {
  const key = newKey('dry')
  const field = await declare(key, 'string')
  const ids = await fill(key, ['"1"', '"x"'])
  await retype(field.id, 'number', true)
  await walk(field.id)
  const { fitting, unfit, dryRun, samples } = await readRetype(pool, workspaceId, field.id)
  assert.deepEqual([fitting, unfit, dryRun, samples], [1, 1, true, [{ contactId: ids[1], value: 'x' }]])
  assert.deepEqual(await valuesOf(ids, key), ['"1"', '"x"'])
  assert.deepEqual(await readField(pool, workspaceId, field.id), field)
})

test('a retype that is killed again and again counts each value once', async () => {
  const key = newKey('killed')
  const field = await declare(key, 'string')
  const ids = await fill(
    key,
    many(3_500, (n) => (n % 7 === 0 ? `"no ${n}"` : `"${n}"`)),
  )
  await retype(field.id, 'number')
  // A job that was taken for dead and its successor: both walk.
  const [kills, more] = await Promise.all([walkThroughKills(field.id), walkThroughKills(field.id)])
  assert.ok(kills + more >= 1)
  const { fitting, unfit, samples } = await readRetype(pool, workspaceId, field.id)
  assert.deepEqual([fitting, unfit, samples.length], [3_000, 500, 100])
  assert.deepEqual(
    await valuesOf(ids, key),
    many(3_500, (n) => (n % 7 === 0 ? `"no ${n}"` : `${n}`)),
  )
})

test('a report keeps no value: it shows what its contacts have now', async () => {
  const key = newKey('erased')
  const field = await declare(key, 'string')
  const ids = await fill(key, ['"a"', '"b"'])
  await retype(field.id, 'number')
  await walk(field.id)
  await rows('delete from contacts where id = $1', [ids[0]])
  const { samples } = await readRetype(pool, workspaceId, field.id)
  assert.deepEqual(samples, [{ contactId: ids[1], value: 'b' }])
})

test('a deleted field is gone at once, its values later, its key after that', async () => {
  const [key, before] = [newKey('deleted'), newKey('before')]
  const field = await declare(before)
  const ids = await fill(before, many(1_500))
  await rename(field.id, key)
  await deleteField(deps, caller, { id: field.id })
  await assert.rejects(readField(pool, workspaceId, field.id), { statusCode: 404 })
  assert.equal((await listFields(pool, workspaceId, { page: 1, pageSize: 1, key })).total, 0)
  const write = () => createContact(contactDeps, caller, { subjectId: newKey('late'), customFields: { [key]: 'x' } })
  await assert.rejects(write(), { statusCode: 422 })
  await assert.rejects(declare(key), { statusCode: 409 })
  await Promise.all([walk(field.id), walk(field.id)])
  assert.deepEqual(new Set([...(await valuesOf(ids, key)), ...(await valuesOf(ids, before))]), new Set([null]))
  assert.deepEqual(new Set(await valuesOf(ids, 'other')), new Set(['1']))
  await write()
})

test('a change waits for those who write by the rule before it, so that its walk meets what they write', async () => {
  const key = newKey('late')
  const field = await declare(key, 'string')
  let changed: Promise<unknown> | undefined
  await inTransaction(pool, workspaceId, async (tx) => {
    const [taken] = await takeCustomFields(tx, workspaceId, [{ [key]: '42' }])
    let settled = false
    changed = retype(field.id, 'number')
      .then(() => walk(field.id))
      .finally(() => {
        settled = true
      })
    await eventually('the change to wait, or to be through', async () => {
      const waiting = `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
      return settled || ((await pool.query(waiting)).rowCount ?? 0) > 0
    })
    await tx.query('insert into contacts (workspace_id, subject_id, custom_fields) values ($1, $2, $3)', [
      workspaceId,
      key,
      JSON.stringify(taken!.values),
    ])
  })
  await changed
  const [stored] = await rows<{ value: string }>(
    'select (custom_fields -> $1)::text as value from contacts where subject_id = $1',
    [key],
  )
  assert.equal(stored?.value, '42')
})

test('whoever writes while a type changes, no value of the type before is left', async () => {
  const key = newKey('meanwhile')
  const field = await declare(key, 'string')
  const writes: Promise<unknown>[] = []
  for (let n = 0; n < 40; n++) {
    const contact = { subjectId: newKey('writer'), customFields: { [key]: `${n}` } }
    writes.push(createContact(contactDeps, caller, contact))
    if (n === 20) writes.push(retype(field.id, 'number').then(() => walk(field.id)))
  }
  await Promise.all(writes)
  const left = await rows(`select from contacts where jsonb_typeof(custom_fields -> $1) <> 'number'`, [key])
  assert.deepEqual(left, [], 'each value was converted on its way, or by the walk')
})
