import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import type { ContactField } from '../../catalogue/contact-fields.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from './create-contact.ts'
import type { ContactItem } from './plan-upsert.ts'
import { UPSERT_MODES, type UpsertMode } from './schemas.ts'
import { retryingRaces, type Upserted, upsertContacts } from './upsert-contacts.ts'

const { pool, caller } = await testWorkspace({ connections: 12 })
const seed = seedFrom('UPSERT_SEED')
console.log(`UPSERT_SEED=${seed}`)
const random = seededRandom(seed)
const below = (count: number) => Math.floor(random() * count)
const maybe = <T>(value: T) => (random() < 0.5 ? value : undefined)

type Known = { id: string; fields: Partial<Record<ContactField, string>>; customFields: Record<string, unknown> }

const upsert = (workspaceId: string, items: readonly ContactItem[], mode: UpsertMode = 'fill') =>
  retryingRaces(() => inTransaction(pool, workspaceId, (tx) => upsertContacts(tx, workspaceId, { items, mode })))

async function stored(workspaceId: string): Promise<(Known & { updatedAt: string })[]> {
  const rows = await queryInScope<Record<string, string | null>>(pool, workspaceId, {
    text: `select id, subject_id as "subjectId", email, phone, first_name as "firstName", custom_fields::text as custom,
      updated_at as "updatedAt" from contacts where workspace_id = $1 order by id`,
    values: [workspaceId],
  })
  return rows.map(({ id, custom, updatedAt, ...fields }) => ({
    id: id!,
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Known['fields'],
    customFields: JSON.parse(custom!) as Record<string, unknown>,
    updatedAt: updatedAt!,
  }))
}

async function eventsOf(workspaceId: string): Promise<{ type: string; contact: string; changed: string[] | null }[]> {
  const { rows } = await pool.query(
    `select type, contact_id as contact, data -> 'changed' as changed from outbox
     where workspace_id = $1 order by tx, position`,
    [workspaceId],
  )
  return rows.map((row) => ({ ...row, changed: row.changed === null ? null : JSON.parse(row.changed) }))
}

/** An item whose aliases are few enough to meet others. */
function someItem(people: number, mode: UpsertMode = 'fill'): ContactItem {
  const wanted = {
    subjectId: maybe(`s${below(people)}`),
    email: maybe(`e${below(people)}@example.com`),
    phone: maybe(`+${below(people)}`),
    firstName: maybe(`Name ${below(5)}`),
  }
  const fields: ContactItem['fields'] = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  )
  if (mode === 'overwrite' && random() < 0.2) fields[(['firstName', 'email', 'phone'] as const)[below(3)]!] = null
  const customFields: Record<string, unknown> = {}
  for (let count = below(3); count > 0; count--) customFields[`k${below(3)}`] = [below(3), null, { a: [1] }][below(3)]
  if (!(fields.subjectId || fields.email || fields.phone)) return someItem(people, mode)
  return { fields, customFields }
}

const ALIASES = ['subjectId', 'email', 'phone'] as const

/** The rules once more, one item after the other over a plain list. */
function applyOne(
  people: Known[],
  item: ContactItem,
  mode: UpsertMode,
): { status: string; who?: Known; field?: string } {
  const hits = ALIASES.map((alias) =>
    people.find((one) => one.fields[alias] && one.fields[alias] === item.fields[alias]),
  )
  const hit = hits.find((one) => one !== undefined)
  const who: Known = hit ?? { id: '', fields: {}, customFields: {} }
  const both = mode === 'fill' ? { ...item.fields, ...who.fields } : { ...who.fields, ...item.fields }
  const next = Object.fromEntries(Object.entries(both).filter(([, value]) => value !== null)) as Known['fields']
  for (const alias of ALIASES) {
    if (next[alias] && people.some((one) => one !== who && one.fields[alias] === next[alias])) {
      return { status: 'failed', field: alias }
    }
  }
  who.fields = next
  for (const [key, value] of Object.entries(item.customFields)) {
    if (value === null) delete who.customFields[key]
    else who.customFields[key] = value
  }
  if (!hit) people.push(who)
  return { status: hit ? 'updated' : 'created', who }
}

test('batches end as their items done one after another would', async () => {
  for (let round = 0; round < 60; round++) {
    const workspaceId = await createWorkspace(pool)
    const model: Known[] = []
    for (let batch = 0; batch < 3; batch++) {
      const people = 2 + below(30)
      const mode = UPSERT_MODES[round % 2]!
      const items = Array.from({ length: 1 + below(60) }, () => someItem(people, mode))
      const outcomes = await upsert(workspaceId, items, mode)
      const where = `seed ${seed}, round ${round}, batch ${batch}, ${mode}`
      for (const [n, item] of items.entries()) {
        const expected = applyOne(model, item, mode)
        const outcome = outcomes[n]!
        assert.equal(outcome.status, expected.status, `${where}, item ${n}`)
        if (outcome.status === 'failed') assert.equal(outcome.error.pointer, `/${expected.field}`, where)
        else if (expected.who!.id === '') expected.who!.id = outcome.contactId
        else assert.equal(outcome.contactId, expected.who!.id, `${where}, item ${n}`)
      }
      const rows = await stored(workspaceId)
      const byId = (a: Known, b: Known) => Number(BigInt(a.id) - BigInt(b.id))
      assert.deepEqual(
        rows.map(({ updatedAt: _, ...row }) => row),
        [...model].sort(byId),
        where,
      )
    }
  }
})

test('what an item does not change is not written, and tells nobody', async () => {
  const workspaceId = await createWorkspace(pool)
  const item = { fields: { email: 'same@example.com', firstName: 'Ada' }, customFields: { plan: 'pro', n: 1.5 } }
  const [first] = await upsert(workspaceId, [item])
  const before = await stored(workspaceId)
  const again = { fields: { email: 'same@example.com', firstName: 'Eve' }, customFields: { n: 1.5, none: null } }
  const [second] = await upsert(workspaceId, [again])
  assert.deepEqual([first!.status, second!.status], ['created', 'updated'])
  assert.deepEqual(await stored(workspaceId), before)
  assert.equal((await eventsOf(workspaceId)).length, 1)
})

test('each contact emits one event, which names what changed', async () => {
  const workspaceId = await createWorkspace(pool)
  const [old] = await upsert(workspaceId, [{ fields: { subjectId: 'old' }, customFields: {} }])
  const outcomes = await upsert(workspaceId, [
    { fields: { subjectId: 'new' }, customFields: {} },
    { fields: { subjectId: 'old', email: 'old@example.com' }, customFields: {} },
    { fields: { subjectId: 'new', phone: '+1' }, customFields: { a: 1 } },
    { fields: { email: 'old@example.com' }, customFields: { a: 1 } },
  ])
  const ids = (of: Upserted) => (of.status === 'failed' ? assert.fail() : of.contactId)
  assert.equal(ids(outcomes[1]!), ids(old!))
  assert.deepEqual((await eventsOf(workspaceId)).slice(1), [
    { type: 'contact.created', contact: ids(outcomes[0]!), changed: null },
    { type: 'contact.updated', contact: ids(old!), changed: ['email', 'customFields'] },
  ])
})

test('batches and single creations of the same people at once neither fail nor double anybody', async () => {
  for (let round = 0; round < 8; round++) {
    const workspaceId = await createWorkspace(pool)
    const who = { ...caller, workspaceId }
    const people = 5 + below(200)
    const batches = Array.from({ length: 6 }, () => Array.from({ length: 1 + below(150) }, () => someItem(people)))
    const singles = Array.from({ length: 40 }, () => someItem(people))
    const created = singles.map((item) =>
      createContact({ sql: pool }, who, { ...item.fields }).then(
        () => 201,
        (error: { statusCode?: number }) => error.statusCode ?? error,
      ),
    )
    const outcomes = (await Promise.all(batches.map((items) => upsert(workspaceId, items)))).flat()
    const statuses = await Promise.all(created)
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 201 && status !== 409),
      [],
      `seed ${seed}`,
    )
    const rows = await stored(workspaceId)
    const made =
      outcomes.filter((one) => one.status === 'created').length + statuses.filter((status) => status === 201).length
    assert.equal(rows.length, made, `seed ${seed}, round ${round}`)
    const items = batches.flat()
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome.status === 'failed') continue
      const row = rows.find((one) => one.id === outcome.contactId)
      assert.ok(row && ALIASES.some((alias) => row.fields[alias] && row.fields[alias] === items[n]!.fields[alias]))
    }
    const events = await eventsOf(workspaceId)
    assert.equal(events.filter((event) => event.type === 'contact.created').length, rows.length)
  }
})

test('batches take turns: none of many at once has to begin again', async () => {
  const workspaceId = await createWorkspace(pool)
  let attempts = 0
  const batches = Array.from({ length: 40 }, async () => {
    const items = Array.from({ length: 100 }, () => someItem(300))
    await retryingRaces(() => {
      attempts++
      return inTransaction(pool, workspaceId, (tx) => upsertContacts(tx, workspaceId, { items, mode: 'fill' }))
    })
  })
  await Promise.all(batches)
  assert.equal(attempts, batches.length, `seed ${seed}`)
})
