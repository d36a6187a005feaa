import type pg from 'pg'

const ROWS_PER_COMMIT = 250_000
export const MONTHS = 12
export const TAGS = 200

/**
 * Contacts, tags and events of workspace 1 as a shop of some years has them: three tags a contact, a few tags on very
 * many; a year of events, most of them of the kinds that mail makes by itself.
 */
export async function fillSegments(client: pg.Client, rows: { contacts: number; events: number }): Promise<void> {
  await inSteps(rows.contacts, (first, last) =>
    client.query(
      `insert into contacts (workspace_id, email, first_name, last_name, time_zone, custom_fields, created_at)
       select 1, 'person' || n || '@example.com', (array['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara'])[n % 5 + 1],
         'Person ' || n, (array['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])[n % 3 + 1],
         jsonb_build_object('plan', (array['free', 'free', 'free', 'pro', 'team'])[n % 5 + 1], 'age', 18 + n % 60,
           'spent', round((n * 7919 % 100000) / 100.0, 2), 'newsletter', n % 4 <> 0,
           'renewsAt', to_char(now() + (n % 400 - 200) * interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
         now() - n % 1000 * interval '1 day'
       from generate_series($1::bigint, $2::bigint) n`,
      [first, last],
    ),
  )
  await client.query(
    `insert into custom_fields (workspace_id, key, name, type, declared)
     select 1, key, key, type, true from unnest(array['plan', 'age', 'spent', 'newsletter', 'renewsAt'],
       array['string', 'number', 'number', 'boolean', 'datetime']) as f(key, type)`,
  )
  await client.query(
    `insert into tags (workspace_id, name) select 1, 'tag ' || n from generate_series(1, ${TAGS}) n order by n`,
  )
  // The service may have looked amid the statement above: each key below would be checked by reading all contacts.
  await client.query('analyze contacts')
  // Squaring a number below 1 makes the first tags the common ones.
  await inSteps(rows.contacts, (first, last) =>
    client.query(
      `insert into contact_tags (workspace_id, tag_id, contact_id)
       select distinct 1, t.id, drawn.contact_id from (
         select c.id as contact_id, 1 + floor(power(random(), 2) * ${TAGS}) as nth
         from contacts c cross join generate_series(1, 3)
         where c.workspace_id = 1 and c.id between $1 and $2 offset 0) drawn
       join tags t on t.workspace_id = 1 and t.name = 'tag ' || drawn.nth`,
      [first, last],
    ),
  )
  await fillYearOfEvents(client, rows)
  await client.query('vacuum analyze contacts, contact_tags, tags, custom_fields')
  await client.query('vacuum analyze events')
}

export async function fillYearOfEvents(client: pg.Client, rows: { contacts: number; events: number }): Promise<void> {
  await makePartitions(client)
  await client.query("select setval('outbox_position', $1)", [rows.events])
  await inSteps(rows.events, (first, last) =>
    client.query(
      `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
       select 1, n, at, case when name like 'email.%' then name else 'event.recorded' end, name, 'person', contact_id,
         case name
           when 'order.placed' then jsonb_build_object('price', n % 200, 'currency', 'EUR', 'items', n % 5)
           when 'product.viewed' then jsonb_build_object('product', 'sku-' || n % 1000, 'price', n % 200)
           else jsonb_build_object('page', '/p/' || n % 5000)
         end, at
       from (
         select n, now() - ($3::bigint - n)::float8 / $3::bigint * interval '${MONTHS * 30} days' as at,
           1 + floor(random() * $4)::bigint as contact_id,
           (array['email.sent', 'email.sent', 'email.sent', 'page.viewed', 'page.viewed', 'page.viewed', 'page.viewed',
             'email.opened', 'product.viewed', 'order.placed'])[1 + floor(random() * 10)] as name
         from generate_series($1::bigint, $2::bigint) n
       ) drawn`,
      [first, last, rows.events, rows.contacts],
    ),
  )
}

/** The months behind us; those ahead are made at the start. */
async function makePartitions(client: pg.Client): Promise<void> {
  for (let back = 1; back <= MONTHS + 1; back++) {
    const { rows } = await client.query<{ text: string }>(
      `select format('create table if not exists %I partition of events for values from (%L) to (%L)',
         'events_p' || to_char(m, 'YYYYMM'), m, m + interval '1 month') as text
       from (select date_trunc('month', now()) - make_interval(months => $1) as m) month`,
      [back],
    )
    await client.query(rows[0]!.text)
  }
}

async function inSteps(rows: number, insert: (first: number, last: number) => Promise<unknown>): Promise<void> {
  for (let first = 1; first <= rows; first += ROWS_PER_COMMIT) {
    await insert(first, Math.min(rows, first + ROWS_PER_COMMIT - 1))
  }
}
