import type pg from 'pg'
import { until } from '../support/instance.ts'
import type { Stored } from './ledger.ts'

export type Draining = { drainMs: number; reportEveryMs: number; report(line: string): void }

/** Waits until every group has read everything and nothing waits to be delivered, then counts what is stored. */
export async function storedOnceDrained(
  client: pg.Client,
  { drainMs, reportEveryMs, report }: Draining,
): Promise<Stored> {
  let reportedAt = performance.now()
  const isDrained = async () => {
    const { unread, queued } = await waiting(client)
    if (performance.now() - reportedAt > reportEveryMs) {
      reportedAt = performance.now()
      report(`draining: ${unread.length > 0 ? `${unread} read on` : 'all is read'}, ${queued} deliveries wait`)
    }
    return unread.length === 0 && queued === '0'
  }
  await until('the outbox and the delivery queue to drain', isDrained, drainMs).catch(async (error: unknown) => {
    const { unread } = await waiting(client)
    const { rows } = await client.query('select * from delivery_queue limit 3')
    throw new Error(`not drained; unread by ${unread}; waiting ${JSON.stringify(rows)}`, { cause: error })
  })
  const { rows } = await client.query<{ batch: string; rows: string; items: string }>(
    `select data ->> 'batch' as batch, count(*) as rows, count(distinct data ->> 'item') as items
     from events where type = 'event.recorded' group by 1`,
  )
  return new Map(rows.map((row) => [Number(row.batch), { rows: Number(row.rows), items: Number(row.items) }]))
}

/** Groups that have not read everything, by name, and how many deliveries are to be made. */
async function waiting(client: pg.Client): Promise<{ unread: string; queued: string }> {
  const { rows } = await client.query<{ unread: string; queued: string }>(
    `select (select coalesce(string_agg(c.consumer_group, ', ' order by c.consumer_group), '') from outbox_cursors c where exists (
         select from outbox where (tx, position) > (c.tx, c.position))) as unread,
       (select count(*) from delivery_queue) as queued`,
  )
  return rows[0]!
}
