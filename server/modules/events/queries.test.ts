import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { Batch } from './intake-writer.ts'
import { appendRecordedEventsStatement } from './queries.ts'
import type { RecordedEvent } from './recorded-event.ts'

const { pool, workspaceId } = await testWorkspace()
const otherId = await createWorkspace(pool)

type Person = { id: string; subject_id: string | null; email: string | null; phone: string | null }
const people = new Map<string, Person[]>()
for (const id of [workspaceId, otherId]) {
  people.set(
    id,
    await queryInScope<Person>(pool, id, {
      text: `insert into contacts (workspace_id, subject_id, email, phone) values
          ($1, 'ada', 'ada@example.com', '+1'), ($1, 'bob', null, '+2'), ($1, null, 'cyd@example.com', null),
          ($1, null, 'dan@example.com', '+4'), ($1, null, null, '+5')
        returning id, subject_id, email, phone`,
      values: [id],
    }),
  )
}

type Row = { name: string; workspace_id: string; contact_id: string | null; subject: string } & Omit<Person, 'id'>

async function append(batches: readonly Batch<RecordedEvent>[]): Promise<Row[]> {
  return await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(appendRecordedEventsStatement(batches))
    const { rows } = await tx.query<Row>(
      `select name, workspace_id, contact_id, subject, subject_id, email, phone from outbox
       where tx = outbox_tx() order by position`,
    )
    return rows
  })
}

const event = (more: Partial<RecordedEvent>): RecordedEvent => ({
  clientId: null,
  action: 'a',
  subjectId: null,
  email: null,
  phone: null,
  properties: '{}',
  occurredAt: null,
  ...more,
})

/** Decisions 6, said once more without SQL: who an event belongs to, and what its subject is. */
function expected(
  id: string,
  { subjectId, email, phone }: RecordedEvent,
): { contactId: string | null; subject: string } {
  const known = people.get(id)!
  const found =
    known.find((person) => subjectId !== null && person.subject_id === subjectId) ??
    known.find((person) => email !== null && person.email === email) ??
    known.find((person) => phone !== null && person.phone === phone)
  return { contactId: found?.id ?? null, subject: subjectId ?? found?.subject_id ?? email ?? phone ?? '' }
}

test('an event belongs to the contact of its subjectId, else of its email, else of its phone', async () => {
  const [ada, bob, cyd] = people.get(workspaceId)!
  const cases: [Partial<RecordedEvent>, string | null, string][] = [
    [{ subjectId: 'ada' }, ada!.id, 'ada'],
    [{ subjectId: 'ada', email: 'cyd@example.com', phone: '+2' }, ada!.id, 'ada'],
    [{ subjectId: 'new', email: 'cyd@example.com', phone: '+2' }, cyd!.id, 'new'],
    [{ subjectId: 'new', email: 'new@example.com', phone: '+2' }, bob!.id, 'new'],
    [{ email: 'ada@example.com' }, ada!.id, 'ada'],
    [{ email: 'cyd@example.com' }, cyd!.id, 'cyd@example.com'],
    [{ email: 'new@example.com', phone: '+2' }, bob!.id, 'bob'],
    [{ phone: '+2' }, bob!.id, 'bob'],
    [{ email: 'new@example.com', phone: '+9' }, null, 'new@example.com'],
    [{ phone: '+9' }, null, '+9'],
    [{ subjectId: 'new' }, null, 'new'],
  ]
  const rows = await append([{ workspaceId, events: cases.map(([given]) => event(given)) }])
  for (const [index, [given, contactId, subject]] of cases.entries()) {
    assert.deepEqual([rows[index]!.contact_id, rows[index]!.subject], [contactId, subject], JSON.stringify(given))
  }
})

test('a contact of another workspace is nobody here', async () => {
  const [row] = await append([{ workspaceId: otherId, events: [event({ subjectId: 'ada' })] }])
  assert.equal(row?.contact_id, people.get(otherId)![0]!.id)
  const lonely = await createWorkspace(pool)
  const [none] = await append([
    { workspaceId: lonely, events: [event({ subjectId: 'ada', email: 'ada@example.com' })] },
  ])
  assert.equal(none?.contact_id, null)
})

test('every form of the statement, whichever columns are in use, records the same', async (t) => {
  const seed = seedFrom('FORMS_SEED')
  t.diagnostic(`FORMS_SEED=${seed}`)
  const random = seededRandom(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const values = {
    subjectId: ['ada', 'bob', 'nobody', null],
    email: ['ada@example.com', 'cyd@example.com', 'dan@example.com', 'nobody@example.com', null],
    phone: ['+1', '+2', '+5', '+9', null],
    occurredAt: ['2026-01-02T03:04:05.123456Z', '2020-02-29T23:59:60+05:30', null],
    clientId: [null],
  }
  const columns = Object.keys(values) as (keyof typeof values)[]
  for (let form = 1; form < 2 ** columns.length; form++) {
    const used = columns.filter((_, bit) => form & (1 << bit))
    if (!used.some((column) => ['subjectId', 'email', 'phone'].includes(column))) continue
    let ids = 0
    const batches = Array.from({ length: 6 }, () => ({
      workspaceId: pick([workspaceId, otherId]),
      events: Array.from({ length: 1 + Math.floor(random() * 20) }, (_, n) => {
        const given = Object.fromEntries(used.map((column) => [column, pick(values[column])]))
        const clientId = used.includes('clientId') && random() < 0.8 ? `form${form}-${ids++}` : null
        const named = given.subjectId ?? given.email ?? given.phone
        const alias = used.find((column) => ['subjectId', 'email', 'phone'].includes(column))!
        return event({ ...given, ...(named ? {} : { [alias]: values[alias][0] }), clientId, action: `n${n}` })
      }),
    }))
    const sent = batches.flatMap(({ workspaceId: id, events }) => events.map((item) => ({ id, item })))
    const rows = await append(batches)
    assert.equal(rows.length, sent.length, `form ${used}`)
    for (const [index, { id, item }] of sent.entries()) {
      const row = rows[index]!
      assert.deepEqual(
        { contactId: row.contact_id, subject: row.subject },
        expected(id, item),
        `form ${used}: ${JSON.stringify(item)}`,
      )
      assert.deepEqual(
        [row.workspace_id, row.name, row.subject_id, row.email, row.phone],
        [id, item.action, item.subjectId, item.email, item.phone],
        `form ${used}: in the order given, with what was given`,
      )
    }
  }
})

test('the time of an event is the one given, else that of its arrival', async () => {
  const given = '2026-01-02T03:04:05.123456+01:00'
  const rows = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const events = [event({ subjectId: 'ada', occurredAt: given }), event({ subjectId: 'ada' })]
    await tx.query(appendRecordedEventsStatement([{ workspaceId, events }]))
    const found = await tx.query<{ occurred_at: string; arrived: boolean }>(
      `select occurred_at, occurred_at between now() and clock_timestamp() as arrived
       from outbox where tx = outbox_tx() order by position`,
    )
    return found.rows
  })
  assert.equal(rows[0]?.occurred_at, '2026-01-02T02:04:05.123456Z')
  assert.equal(rows[1]?.arrived, true)
})

test('text of any kind arrives as it was sent', async () => {
  const texts = ['"', '\\', "'; drop table outbox; --", '{a,b}', 'NULL', 'null', '', '🎉', 'a\tb\nc', 'é'.repeat(5_000)]
  const events = texts.map((text) =>
    event({ subjectId: text || 'x', action: text || 'x', properties: JSON.stringify({ text }) }),
  )
  await append([{ workspaceId, events }])
  const { rows } = await pool.query<{ name: string; subject_id: string; data: string }>(
    'select name, subject_id, data from outbox order by position desc limit $1',
    [texts.length],
  )
  assert.deepEqual(
    rows.reverse().map((row) => [row.name, row.subject_id, JSON.parse(row.data).text]),
    texts.map((text) => [text || 'x', text || 'x', text]),
  )
})
