import type pg from 'pg'

export type Size = { people: number; events: number; clientIds: number; endpoints: number }

/** A tenth of the events are of the people who are to be erased, and of each five hundred client ids one spells one out. */
const EVENTS_OF_PEOPLE = 10
const IDS_OF_PEOPLE = 500
const CONTACTS = 20_000
const ROWS_PER_COMMIT = 100_000

/**
 * Fills workspace 1: people who will be erased and others, events of both in the log and as they are stored, their
 * deliveries to paused endpoints, and the client ids of the last days.
 */
export async function fillErasures(client: pg.Client, { people, events, clientIds, endpoints }: Size): Promise<void> {
  await client.query(
    `insert into contacts (workspace_id, subject_id, email)
     select 1, k.kind || '-' || n, k.kind || '-' || n || '@example.com'
     from (values ('person', $1::int), ('other', $2::int)) k(kind, rows), generate_series(1, k.rows) n`,
    [people, CONTACTS],
  )
  await client.query(
    `with made as (
       insert into webhook_endpoints (workspace_id, url, enabled, secret)
       select 1, 'https://example.com/' || n, false, 'sealed' from generate_series(1, $1::int) n returning id)
     insert into webhook_lanes (workspace_id, endpoint_id) select 1, id from made`,
    [endpoints],
  )
  for (let first = 1; first <= events; first += ROWS_PER_COMMIT) {
    await fillEvents(client, { first, last: Math.min(events, first + ROWS_PER_COMMIT - 1), people })
  }
  for (let first = 1; first <= clientIds; first += ROWS_PER_COMMIT) {
    await client.query(
      `insert into event_client_ids (workspace_id, client_id)
       select 1, case n % ${IDS_OF_PEOPLE} when 0 then 'person-' || 1 + n % $3::int || '@example.com ' || n
         else 'order-' || md5(n::text)::uuid end from generate_series($1::int, $2::int) n`,
      [first, Math.min(clientIds, first + ROWS_PER_COMMIT - 1), people],
    )
  }
  await client.query('vacuum analyze')
}

/** The groups' cursors move with the rows, so that none of them reads what is stored and delivered already. */
async function fillEvents(
  client: pg.Client,
  { first, last, people }: { first: number; last: number; people: number },
): Promise<void> {
  await client.query('begin')
  await client.query(
    `with named as materialized (
       select n, case n % ${EVENTS_OF_PEOPLE} when 0 then 'person-' || 1 + n / ${EVENTS_OF_PEOPLE} % $3::int
         else 'other-' || 1 + n % ${CONTACTS} end as subject_id from generate_series($1::int, $2::int) n
     ), logged as (
       insert into outbox (workspace_id, type, name, subject, contact_id, subject_id, email, data, occurred_at)
       select 1, 'event.recorded', 'product.viewed', subject_id, c.id, subject_id, c.email,
         json_build_object('product', 'sku-' || n % 1000, 'price', 19.99, 'of', subject_id), now()
       from named join contacts c using (subject_id) order by n
       returning position, recorded_at, subject, contact_id, subject_id, email, data, occurred_at
     ), stored as (
       insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, subject_id, email, data, occurred_at)
       select 1, position, recorded_at, 'event.recorded', 'product.viewed', subject, contact_id, subject_id, email, data,
         occurred_at from logged
     ), delivered as (
       insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body)
       select 1, e.id, position, 'product.viewed', data::text from logged cross join webhook_endpoints e
       returning endpoint_id, id, created_at
     )
     insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at)
     select 1, endpoint_id, id, created_at from delivered`,
    [first, last, people],
  )
  await client.query(
    `update outbox_cursors c set tx = o.tx, position = o.position
     from (select tx, position from outbox order by tx desc, position desc limit 1) o`,
  )
  await client.query('commit')
}
