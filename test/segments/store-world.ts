import type pg from 'pg'
import { inTransaction, type Transaction } from '../../server/platform/db/transaction.ts'
import { FIELD_TYPES, type Person, type Random, randomPeople, TAGS } from './world.ts'

/** Random people of a workspace in the database, with their tags and events, and the same people in memory. */
export async function storePeople(pool: pg.Pool, workspaceId: string, random: Random): Promise<Person[]> {
  return inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(
      `insert into custom_fields (workspace_id, key, name, type, declared)
       select $1, key, key, type, false from jsonb_each_text($2) as f (key, type)`,
      [workspaceId, JSON.stringify(FIELD_TYPES)],
    )
    await tx.query(`insert into tags (workspace_id, name) select $1, unnest($2::text[])`, [workspaceId, TAGS])
    const people = randomPeople(random, (index) => String(index))
    const ids = await insertContacts(tx, workspaceId, people)
    const stored = people.map((person, index) => ({ ...person, id: ids[index] as string }))
    await insertTags(tx, workspaceId, stored)
    await insertEvents(tx, workspaceId, stored)
    return stored
  })
}

async function insertContacts(tx: Transaction, workspaceId: string, people: readonly Person[]): Promise<string[]> {
  const rows = people.map(({ columns, custom }) => ({ ...columns, custom_fields: custom }))
  const { rows: inserted } = await tx.query<{ id: string }>(
    `insert into contacts (workspace_id, subject_id, email, phone, first_name, last_name, time_zone, created_at,
       updated_at, custom_fields)
     select $1, subject_id, email, phone, first_name, last_name, time_zone, created_at, updated_at, custom_fields
     from jsonb_array_elements($2::jsonb) with ordinality as given (one, n),
       jsonb_to_record(one) as r(subject_id text, email text, phone text, first_name text, last_name text,
         time_zone text, created_at timestamptz, updated_at timestamptz, custom_fields jsonb)
     order by n returning id`,
    [workspaceId, JSON.stringify(rows)],
  )
  return inserted.map((row) => row.id)
}

async function insertTags(tx: Transaction, workspaceId: string, people: readonly Person[]): Promise<void> {
  const pairs = people.flatMap(({ id, tags }) => tags.map((tag) => ({ id, tag })))
  await tx.query(
    `insert into contact_tags (workspace_id, tag_id, contact_id)
     select $1, t.id, r.id from jsonb_to_recordset($2::jsonb) as r(id bigint, tag text)
     join tags t on t.workspace_id = $1 and t.name = r.tag`,
    [workspaceId, JSON.stringify(pairs)],
  )
}

async function insertEvents(tx: Transaction, workspaceId: string, people: readonly Person[]): Promise<void> {
  const events = people.flatMap(({ id, events: of }) => of.map((event) => ({ id, ...event })))
  await tx.query(
    `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
     select $1, nextval('outbox_position'), now(), 'event.recorded', name, '', id, data, at
     from jsonb_to_recordset($2::jsonb) as r(id bigint, name text, at timestamptz, data jsonb)`,
    [workspaceId, JSON.stringify(events)],
  )
}
