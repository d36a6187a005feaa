import type pg from 'pg'
import { until } from '../support/instance.ts'
import type { Stored } from './ledger.ts'

/** Waits until every group has read everything and nothing waits to be delivered, then counts what is stored. */
export async function storedOnceDrained(client: pg.Client, withinMs: number): Promise<Stored> {
  const isDrained = async () => {
    const { rows } = await client.query<{ unread: string; queued: string }>(
      `select (select count(*) from outbox_cursors c where exists (
           select from outbox where (tx, position) > (c.tx, c.position))) as unread,
         (select count(*) from delivery_queue) as queued`,
    )
    return rows[0]?.unread === '0' && rows[0].queued === '0'
  }
  await until('the outbox and the delivery queue to drain', isDrained, withinMs).catch(async (error: unknown) => {
    const { rows } = await client.query('select * from delivery_queue limit 3')
    throw new Error(`not drained; ${JSON.stringify(rows)}`, { cause: error })
  })
  const { rows } = await client.query<{ batch: string; rows: string; items: string }>(
    `select data ->> 'batch' as batch, count(*) as rows, count(distinct data ->> 'item') as items
     from events where type = 'event.recorded' group by 1`,
  )
  return new Map(rows.map((row) => [Number(row.batch), { rows: Number(row.rows), items: Number(row.items) }]))
}
