import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { FIELDS_MAX } from './queries.ts'
import { carryCustomFields, takeCustomFields } from './take-custom-fields.ts'

const { pool, workspaceId } = await testWorkspace()

const take = (maps: Record<string, unknown>[], workspace = workspaceId) =>
  inTransaction(pool, workspace, (tx) => takeCustomFields(tx, workspace, maps))
const fields = (workspace = workspaceId) =>
  queryInScope<{ key: string; type: string; declared: boolean }>(pool, workspace, {
    text: 'select key, type, declared from custom_fields order by key',
  })
const declare = (key: string, type: string, more: { previousKey?: string; deleted?: boolean } = {}) =>
  queryInScope(pool, workspaceId, {
    text: `insert into custom_fields (workspace_id, key, name, type, declared, previous_key, deleted_at)
      values ($1, $2, $2, $3, true, $4, case when $5 then now() end)`,
    values: [workspaceId, key, type, more.previousKey ?? null, more.deleted ?? false],
  })

test('an unknown key becomes a field of the type of its first value, and refuses none after that', async () => {
  const other = await createWorkspace(pool)
  const maps = [{ plan: 'pro', gone: null }, { plan: 1, seats: 3 }, { since: '2026-11-21T05:10:40+02:00' }]
  assert.deepEqual(
    await take(maps, other),
    maps.map((values) => ({ values, errors: [] })),
  )
  assert.deepEqual(await fields(other), [
    { key: 'plan', type: 'string', declared: false },
    { key: 'seats', type: 'number', declared: false },
    { key: 'since', type: 'datetime', declared: false },
  ])
  const free = { plan: { nested: [1] }, seats: 'three', since: JSON.rawJSON('9007199254740993') }
  assert.deepEqual(await take([free], other), [{ values: free, errors: [] }])
  const entries = await queryInScope(pool, other, {
    text: 'select actor_kind, action, target_name from audit_entries order by target_name',
  })
  const entry = { actor_kind: 'system', action: 'custom_field.create' }
  assert.deepEqual(
    entries,
    ['plan', 'seats', 'since'].map((key) => ({ ...entry, target_name: key })),
  )
  assert.deepEqual(await fields(), [], 'other workspaces have fields of their own')
})

test('a declared type is kept to: converted without loss, or reported where it stands', async () => {
  await declare('age', 'number')
  await declare('a/b~c', 'boolean')
  assert.deepEqual(await take([{ age: '42', 'a/b~c': 'true' }, { age: 'old', 'a/b~c': 2 }, { age: null }]), [
    { values: { age: 42, 'a/b~c': true }, errors: [] },
    {
      values: {},
      errors: [
        { pointer: '/customFields/age', detail: 'must be a number' },
        { pointer: '/customFields/a~1b~0c', detail: 'must be true or false' },
      ],
    },
    { values: { age: null }, errors: [] },
  ])
})

test('while a field is renamed its old key is taken for the new one, which counts when both are given', async () => {
  await declare('city', 'string', { previousKey: 'town' })
  assert.deepEqual(
    (await take([{ town: 'Ulm' }, { city: 'Rom' }, { town: 'Ulm', city: 'Rom' }, { city: null }])).map(
      ({ values }) => values,
    ),
    [
      { town: null, city: 'Ulm' },
      { town: null, city: 'Rom' },
      { town: null, city: 'Rom' },
      { town: null, city: null },
    ],
  )
})

test('a field that is being deleted takes no values', async () => {
  await declare('bygone', 'string', { deleted: true })
  const [taken] = await take([{ bygone: 'x' }])
  assert.deepEqual(taken, { values: {}, errors: [{ pointer: '/customFields/bygone', detail: 'is being deleted' }] })
})

test('stored values that move to another contact get every change that is under way', async () => {
  await declare('new', 'number', { previousKey: 'old' })
  await declare('going', 'string', { deleted: true })
  const carry = (stored: Record<string, unknown>) =>
    inTransaction(pool, workspaceId, (tx) => carryCustomFields(tx, workspaceId, stored))
  assert.deepEqual(await carry({ old: '7', going: 'x', free: [1] }), { new: 7, free: [1] })
  assert.deepEqual(await carry({ old: '7', new: 'many' }), { new: 'many' })
  assert.deepEqual(await carry({}), {})
})

test('a workspace has at most so many fields; known keys go on', async () => {
  const other = await createWorkspace(pool)
  const many = Object.fromEntries(Array.from({ length: FIELDS_MAX }, (_, n) => [`k${n}`, n]))
  await take([many], other)
  assert.equal((await fields(other)).length, FIELDS_MAX)
  const [taken] = await take([{ k0: 1, more: 2 }], other)
  assert.deepEqual(taken?.values, { k0: 1 })
  assert.deepEqual(taken?.errors, [
    { pointer: '/customFields/more', detail: `is one field more than the ${FIELDS_MAX} that a workspace can have` },
  ])
})

test('many who bring the same new keys at once make each one once', async () => {
  const other = await createWorkspace(pool)
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`)
  const map = (order: string[]) => Object.fromEntries(order.map((key, n) => [key, n]))
  await Promise.all(Array.from({ length: 20 }, (_, n) => take([map(n % 2 === 0 ? keys : keys.toReversed())], other)))
  assert.equal((await fields(other)).length, keys.length)
})

test('a workspace has at most so many fields, whoever brings new ones at once', async () => {
  const other = await createWorkspace(pool)
  const many = (prefix: string) => Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${prefix}${n}`, n]))
  const first = await openTransaction(pool, (tx) => takeCustomFields(tx, other, [many('a')]), other)
  const second = take([many('b')], other)
  await Promise.race([second, somebodyWaits(pool)])
  await first.commit()
  assert.equal((await second)[0]?.errors.length, 600 - FIELDS_MAX)
  assert.equal((await fields(other)).length, FIELDS_MAX)
})

test('the last field that there is room for is taken by two who bring it at once', async () => {
  const other = await createWorkspace(pool)
  await take([Object.fromEntries(Array.from({ length: FIELDS_MAX - 1 }, (_, n) => [`k${n}`, n]))], other)
  const first = await openTransaction(pool, (tx) => takeCustomFields(tx, other, [{ last: 1 }]), other)
  const second = take([{ last: 2 }], other)
  await somebodyWaits(pool)
  await first.commit()
  assert.deepEqual(await second, [{ values: { last: 2 }, errors: [] }])
})
