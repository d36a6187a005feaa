import type pg from 'pg'

const ROWS_PER_COMMIT = 250_000

/** Sends a draft of workspace 1 behind the service's back: a message for each contact, most of them accepted, some opened and clicked. */
export async function fillBroadcast(client: pg.Client, { id, people }: { id: string; people: number }): Promise<void> {
  const { rows } = await client.query<{ stream: string; at: string }>(
    `insert into send_streams (workspace_id, source_kind, source_id) values (1, 'broadcast', $1)
     returning id as stream, now()::text as at`,
    [id],
  )
  const [{ stream, at }] = rows as [{ stream: string; at: string }]
  for (let first = 1; first <= people; first += ROWS_PER_COMMIT) {
    const last = Math.min(people, first + ROWS_PER_COMMIT - 1)
    await client.query(
      `insert into messages (workspace_id, created_at, purpose, source_kind, source_id, contact_id, destination)
       select 1, $2, 'marketing', 'broadcast', $1, n, 'person' || n || '@example.com' from generate_series($3::int, $4::int) n`,
      [id, at, first, last],
    )
    await client.query(
      `update messages set state = (case when contact_id % 50 = 0 then 'skipped' when contact_id % 71 = 0 then 'failed' else 'accepted' end),
         reason = case when contact_id % 50 = 0 then 'unsubscribed' when contact_id % 71 = 0 then 'rejected' end,
         attempts = 1, settled_at = now(), provider = 'smtp', sending_domain = 'example.com',
         opened_at = case when contact_id % 3 = 0 then now() end, clicked_at = case when contact_id % 9 = 0 then now() end
       where workspace_id = 1 and source_kind = 'broadcast' and source_id = $1 and contact_id between $2 and $3`,
      [id, first, last],
    )
  }
  await client.query(
    `update broadcasts set status = 'sent', started_at = $2, ended_at = now(), stream_id = $3, recipients_total = $4,
       planned_total = $4, planned_at = now() where workspace_id = 1 and id = $1`,
    [id, at, stream, people],
  )
  await client.query('vacuum analyze messages')
}
