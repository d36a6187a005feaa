import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf, createWorkspace, secondProcess, signalsOf, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { Problem } from '../../platform/problem.ts'
import { shownContactOf } from './contact-of.ts'
import { createContact } from './create-contact.ts'
import { listContacts } from './list-contacts.ts'
import { shownContactStatement } from './queries.ts'
import type { ContactBody, ContactFilter, ContactSort, ShownContact } from './schemas.ts'
import { updateContact } from './update-contact.ts'

const { database, pool, caller, workspaceId } = await testWorkspace()
const signals = signalsOf(pool)
const deps = { sql: pool }
let people = 0
const person = () => ({ subjectId: `person-${++people}` })

const create = (body: ContactBody) => createContact(deps, caller, body)
const update = (id: string, body: ContactBody) => updateContact(deps, caller, { id, body })
const read = async (id: string, scope = workspaceId) =>
  (await queryInScope(pool, scope, shownContactStatement(scope, id))).map(shownContactOf)[0]
const listed = (scope: string, query: ContactFilter & { page: number; pageSize: number; sort?: ContactSort }) =>
  listContacts({ sql: pool, segmentFilter: async () => undefined }, scope, query)
const list = async (filter: ContactFilter, page = { page: 1, pageSize: 25 }) =>
  (await listed(workspaceId, { ...filter, ...page })).items
const total = async (filter: ContactFilter = {}, scope = workspaceId) =>
  (await listed(scope, { ...filter, page: 1, pageSize: 1 })).total
const custom = (row: ShownContact) => row.customFields

type Emitted = { type: string; subject: string; email: string | null; contact_id: string; data: string }
async function emitted(contactId: string): Promise<Emitted[]> {
  const { rows } = await pool.query<Emitted>(
    'select type, subject, email, contact_id, data from outbox where contact_id = $1 order by tx, position',
    [contactId],
  )
  return rows
}

async function audited(contactId: string): Promise<{ action: string; diff: unknown }[]> {
  const rows = await queryInScope<{ action: string; diff: unknown }>(pool, workspaceId, {
    text: `select action, diff from audit_entries where target_type = 'contact' and target_id = $1 order by id`,
    values: [contactId],
  })
  return rows
}

function refusedWith(status: number, pointer: string) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.statusCode, status)
    assert.equal(error.errors?.[0]?.pointer, pointer)
    return true
  }
}

test('a contact is created with its event and its audit entry in one transaction', async () => {
  const before = signals.length
  const contact = await create({
    subjectId: ' Ada ',
    email: 'ADA@Example.com',
    phone: '',
    firstName: 'Ada',
    customFields: { plan: 'pro', gone: null },
  })
  assert.deepEqual(
    { ...contact, id: 'id', createdAt: 'at', updatedAt: 'at' },
    {
      id: 'id',
      subjectId: 'Ada',
      email: 'ada@example.com',
      phone: null,
      firstName: 'Ada',
      lastName: null,
      timeZone: null,
      customFields: { plan: 'pro' },
      createdAt: 'at',
      updatedAt: 'at',
      ...{ tags: [], consent: null, topics: [], unsubscribedFrom: [], isUnproven: false, suppression: null },
    },
  )
  assert.match(contact.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
  assert.deepEqual(await read(contact.id), contact)
  const [event, ...more] = await emitted(contact.id)
  assert.deepEqual(more, [])
  assert.deepEqual(
    { ...event, data: JSON.parse(event!.data) },
    {
      type: 'contact.created',
      subject: 'Ada',
      email: 'ada@example.com',
      contact_id: contact.id,
      data: {
        workspaceId: Number(workspaceId),
        contactId: Number(contact.id),
        subjectId: 'Ada',
        email: 'ada@example.com',
        phone: null,
      },
    },
  )
  const [entry] = await audited(contact.id)
  assert.equal(entry?.action, 'contact.create')
  assert.ok(!JSON.stringify(entry).includes('ada'), 'no personal value in the audit log')
  assert.deepEqual(signals.slice(before), ['outbox'])
})

test('an alias belongs to one contact of a workspace; the answer names it', async () => {
  const taken = await create({ subjectId: 'taken', email: 'taken@example.com', phone: '+1 555' })
  await assert.rejects(create({ subjectId: 'taken' }), refusedWith(409, '/subjectId'))
  await assert.rejects(create({ email: ' TAKEN@example.COM ' }), refusedWith(409, '/email'))
  await assert.rejects(create({ ...person(), phone: '+1 555' }), refusedWith(409, '/phone'))
  const other = await create(person())
  await assert.rejects(update(other.id, { email: 'taken@example.com' }), refusedWith(409, '/email'))
  assert.deepEqual(await read(other.id), other, 'a refused change changes nothing')
  assert.equal((await emitted(other.id)).length, 1)
  await update(taken.id, { email: null })
  assert.equal((await update(other.id, { email: 'taken@example.com' })).email, 'taken@example.com')
  const elsewhere = callerOf(await createWorkspace(pool))
  const twin = await createContact(deps, elsewhere, { subjectId: 'taken', email: 'taken@example.com', phone: '+1 555' })
  assert.notEqual(twin.id, taken.id)
})

test('a contact is known by something, also after a change', async () => {
  await assert.rejects(create({ firstName: 'Nobody' }), refusedWith(400, ''))
  await assert.rejects(create({ subjectId: '  ', email: '', phone: null }), refusedWith(400, ''))
  const contact = await create({ email: 'only@example.com' })
  await assert.rejects(update(contact.id, { email: null }), refusedWith(400, ''))
  const changed = await update(contact.id, { email: null, phone: '+44 20 7946 0958' })
  assert.deepEqual([changed.email, changed.phone], [null, '+44 20 7946 0958'])
})

test('every field at fault is named', async () => {
  const fault = await create({
    email: 'nobody',
    phone: '1'.repeat(41),
    firstName: 'a\u0007b',
    customFields: { '': 1, 'a/b~c\n': 2 },
  }).catch((error: Problem) => error)
  assert.ok(fault instanceof Problem)
  assert.deepEqual(
    fault.errors?.map(({ pointer }) => pointer),
    ['/email', '/phone', '/firstName', '/customFields/', '/customFields/a~1b~0c\n'],
  )
})

test('a change is a merge: absent stays, null and empty clear, custom fields go key by key', async () => {
  const contact = await create({
    ...person(),
    firstName: 'A',
    lastName: 'B',
    customFields: { a: 1, b: 2, c: { x: 1 } },
  })
  const changed = await update(contact.id, { firstName: 'C', lastName: null, customFields: { b: null, c: 3, d: 4 } })
  assert.deepEqual([changed.firstName, changed.lastName], ['C', null])
  assert.deepEqual(custom(changed), { a: 1, c: 3, d: 4 })
  assert.ok(changed.updatedAt > contact.updatedAt)
  assert.equal(changed.createdAt, contact.createdAt)
  const [, event] = await emitted(contact.id)
  assert.equal(event?.type, 'contact.updated')
  assert.deepEqual(JSON.parse(event!.data).changed, ['firstName', 'lastName', 'customFields'])
  assert.deepEqual(
    (await audited(contact.id)).map(({ action }) => action),
    ['contact.create', 'contact.update'],
  )
  assert.deepEqual(custom(await update(contact.id, { customFields: null })), {})
  assert.equal((await update(contact.id, { firstName: '  ' })).firstName, null)
})

test('a change that changes nothing leaves no trace', async () => {
  const contact = await create({
    ...person(),
    email: `nothing-${people}@example.com`,
    customFields: {
      nested: { b: [1, { z: 1, y: 2 }], a: null },
      big: JSON.rawJSON('9007199254740993'),
      10: 'x',
      9: 'y',
    },
  })
  const sames: ContactBody[] = [
    {},
    { email: ` NOTHING-${people}@Example.com ` },
    { phone: null, lastName: '' },
    { customFields: {} },
    { customFields: { missing: null } },
    { customFields: { nested: { a: null, b: [1, { y: 2, z: 1 }] } } },
    { customFields: { big: JSON.rawJSON('9007199254740993') } },
    { customFields: { 9: 'y' } },
  ]
  for (const same of sames) assert.deepEqual(await update(contact.id, same), contact, JSON.stringify(same))
  assert.equal((await emitted(contact.id)).length, 1)
  assert.equal((await audited(contact.id)).length, 1)
})

test('numbers in custom fields keep every digit through a change of another field', async () => {
  const exact = '{"big":9223372036854775807,"long":0.12345678901234567890123}'
  const contact = await create({ ...person(), customFields: parseExactJson(exact) as Record<string, unknown> })
  assert.equal(JSON.stringify(contact.customFields), exact)
  const changed = await update(contact.id, { customFields: { a: 1 } })
  assert.equal(JSON.stringify(changed.customFields), `{"a":1,${exact.slice(1)}`)
})

test('custom fields have a number and a size', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, n]))
  const contact = await create({ ...person(), customFields: many })
  await assert.rejects(update(contact.id, { customFields: { one: 1 } }), refusedWith(400, '/customFields'))
  await update(contact.id, { customFields: { k0: null, one: 1 } })
  await assert.rejects(
    create({ ...person(), customFields: { text: 'ä'.repeat(33_000) } }),
    refusedWith(400, '/customFields'),
  )
})

test('custom fields are held to their declarations, in creating and in changing', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into custom_fields (workspace_id, key, name, type, declared) values ($1, 'age', 'Age', 'number', true)`,
    values: [workspaceId],
  })
  const contact = await create({ ...person(), customFields: { age: '42', free: '42' } })
  assert.deepEqual(custom(contact), { age: 42, free: '42' })
  await assert.rejects(create({ ...person(), customFields: { age: 'old' } }), refusedWith(422, '/customFields/age'))
  await assert.rejects(update(contact.id, { customFields: { age: [] } }), refusedWith(422, '/customFields/age'))
  assert.deepEqual(custom(await update(contact.id, { customFields: { age: '43' } })), { age: 43, free: '42' })
  assert.deepEqual(custom(await update(contact.id, { customFields: { age: null } })), { free: '42' })
})

test('a contact of another workspace is not there', async () => {
  const contact = await create(person())
  const elsewhere = await createWorkspace(pool)
  assert.equal(await read(contact.id, elsewhere), undefined)
  const stranger = callerOf(elsewhere)
  const change = updateContact(deps, stranger, { id: contact.id, body: { firstName: 'Eve' } })
  await assert.rejects(change, { statusCode: 404 })
  const never = updateContact(deps, stranger, { id: '999999', body: { firstName: 'Eve' } })
  assert.deepEqual(await change.catch((error) => error), await never.catch((error) => error))
  assert.equal((await read(contact.id))?.firstName, null)
  assert.equal(await total({}, elsewhere), 0)
})

test('lists are in the order of ids, page by page, and filters match exactly', async () => {
  const all = await list({}, { page: 1, pageSize: 1_000 })
  assert.deepEqual(
    all.map(({ id }) => BigInt(id)),
    all.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? -1 : 1)),
  )
  const pages: typeof all = []
  for (let page = 1; pages.length < all.length; page++) pages.push(...(await list({}, { page, pageSize: 3 })))
  assert.deepEqual(pages, all)
  assert.deepEqual(await list({}, { page: 2 ** 31 - 1, pageSize: 1_000 }), [])
  for (const filter of [{}, { updatedSince: '2000-01-01T00:00:00Z' }]) {
    const newest: typeof all = []
    for (let page = 1; newest.length < all.length; page++) {
      newest.push(...(await listed(workspaceId, { ...filter, page, pageSize: 3, sort: '-id' })).items)
    }
    assert.deepEqual(newest, all.toReversed(), 'the newest first')
  }
  const contact = await create({ ...person(), email: 'find@example.com', phone: '+49 1' })
  for (const filter of [{ email: 'find@example.com' }, { phone: '+49 1' }, { subjectId: contact.subjectId! }]) {
    assert.deepEqual(await list(filter), [contact])
    assert.equal(await total(filter), 1)
  }
  assert.deepEqual(await list({ email: 'find@example.com', phone: '+49 2' }), [])
  assert.deepEqual(await list({ email: "' or true --" }), [])
  assert.ok((await list({ updatedSince: contact.updatedAt })).some(({ id }) => id === contact.id))
  assert.equal(await total({ updatedSince: '2999-01-01T00:00:00Z' }), 0)
})

test('totals are exact under eight writers who create, clash and fail at once', async () => {
  const other = secondProcess(database)
  const before = await total()
  let created = 0
  const writer = async (index: number) => {
    const process = { ...deps, sql: index % 2 === 0 ? pool : other }
    for (let n = 0; n < 25; n++) {
      // Every fourth one is wanted by all writers, and one of them gets it.
      const subjectId = n % 4 === 0 ? `shared-${n}` : `writer-${index}-${n}`
      const answer = await createContact(process, caller, { subjectId }).catch((error: Problem) => error.statusCode)
      if (typeof answer === 'number') assert.equal(answer, 409)
      else created++
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, index) => writer(index)))
  const counted = (
    await queryInScope<{ count: string }>(pool, workspaceId, { text: 'select count(*) from contacts' })
  )[0]!
  assert.equal(await total(), before + created)
  assert.equal(await total(), Number(counted.count))
  assert.equal(created, 8 * 18 + 7)
})

test('of fifty who want the same address at once one gets it', async () => {
  const wishes = Array.from({ length: 50 }, () => create({ ...person(), email: 'wanted@example.com' }))
  const answers = await Promise.allSettled(wishes)
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const answer of answers) if (answer.status === 'rejected') refusedWith(409, '/email')(answer.reason)
})

test('changes of one contact at once follow each other: none is lost', async () => {
  const contact = await create(person())
  await Promise.all(Array.from({ length: 20 }, (_, n) => update(contact.id, { customFields: { [`k${n}`]: n } })))
  assert.equal(Object.keys(custom((await read(contact.id))!)).length, 20)
  assert.equal((await emitted(contact.id)).length, 21)
})

test('no statement of a single contact is planned anew each time', async () => {
  const alone = secondProcess(database, { connections: 1 })
  const { id } = await createContact({ sql: alone }, caller, person())
  for (let n = 0; n < 8; n += 1) {
    await createContact({ sql: alone }, caller, person())
    await updateContact({ sql: alone }, caller, { id, body: { firstName: `Ada ${n}` } })
  }
  const { rows } = await alone.query<{ name: string }>(
    'select name from pg_prepared_statements where generic_plans = 0 and custom_plans > 5',
  )
  assert.deepEqual(rows, [])
})
