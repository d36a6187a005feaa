import type pg from 'pg'

const ROWS_PER_COMMIT = 250_000

/**
 * Stores events of workspace 1 as if they had been recorded and persisted before: as wide as the benchmark's own, in the
 * partition that is written to, below every position the log will give out.
 */
export async function fillEvents(client: pg.Client, rows: number): Promise<void> {
  await client.query("select setval('outbox_position', $1)", [rows])
  for (let first = 1; first <= rows; first += ROWS_PER_COMMIT) {
    await client.query(
      `insert into events (workspace_id, id, recorded_at, type, name, subject, subject_id, data, occurred_at)
       select 1, n, now(), 'event.recorded', 'product.viewed', 'user-' || n % 50000, 'user-' || n % 50000,
         jsonb_build_object('product', 'sku-' || n % 1000, 'price', 19.99, 'currency', 'EUR',
           'referrer', 'https://example.com/newsletter'), now()
       from generate_series($1::bigint, $2::bigint) n`,
      [first, Math.min(rows, first + ROWS_PER_COMMIT - 1)],
    )
  }
  await client.query('vacuum analyze events')
}
