import { Readable } from 'node:stream'
import type pg from 'pg'
import { csvLines } from '../../../platform/csv/csv-lines.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { readBroadcast } from '../read-broadcasts.ts'
import { EXAMINED_MAX, type RecipientRow, recipientsOfStatement } from './report-queries.ts'
import type { RecipientsFileQuery } from './report-schemas.ts'

/** Rows read at once: what an export holds in memory. */
const ROWS_AT_ONCE = 5_000

const COLUMNS = [
  'messageId',
  'contactId',
  'destination',
  'state',
  'reason',
  'reply',
  'settledAt',
  'openedAt',
  'clickedAt',
  'unsubscribedAt',
  'bouncedAt',
  'complainedAt',
] as const satisfies readonly (keyof RecipientRow)[]

/**
 * The recipients of a broadcast that the filter lets through, as CSV that is read from the database while it is sent. That it
 * was taken stands in the audit log. Throws 404.
 */
export async function exportRecipients(
  sql: pg.Pool,
  caller: Caller,
  { id, filter }: { id: string; filter: RecipientsFileQuery },
): Promise<Readable> {
  const { workspaceId } = caller
  const { name } = await readBroadcast(sql, { workspaceId, id })
  await inTransaction(sql, workspaceId, (tx) =>
    recordAudit(tx, caller, { action: 'broadcast.export_recipients', target: { type: 'broadcast', id, name } }),
  )
  return Readable.from(fileOf(sql, { workspaceId, id }, filter))
}

async function* fileOf(
  sql: pg.Pool,
  key: { workspaceId: string; id: string },
  filter: RecipientsFileQuery,
): AsyncGenerator<string> {
  yield csvLines([[...COLUMNS]])
  for (let afterId: string | undefined = '0'; afterId !== undefined; ) {
    const search = { key, filter, afterId, limit: ROWS_AT_ONCE }
    const rows: RecipientRow[] = await queryInScope(sql, key.workspaceId, recipientsOfStatement(search))
    const fitting = rows.filter(({ fits }) => fits)
    if (fitting.length > 0) yield csvLines(fitting.map((row) => COLUMNS.map((column) => String(row[column] ?? ''))))
    const last = rows.at(-1)
    const goesOn = fitting.length === ROWS_AT_ONCE || Number(last?.examined) === EXAMINED_MAX
    afterId = goesOn ? last?.messageId : undefined
  }
}
