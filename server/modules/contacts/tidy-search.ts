import type pg from 'pg'
import type { Statement } from '../../platform/db/statement.ts'

const TIDY_TIMEOUT_MS = 30_000
const TIDY_STATEMENT: Statement<{ pages: number }> = {
  text: `select gin_clean_pending_list('contact_search_text')::int as pages`,
  query_timeout: TIDY_TIMEOUT_MS,
}

/**
 * The job `tidy_search`: sorts what waits in the list of new rows of the search's index into the index; answers how many
 * pages of it. A writer who finds the list full does that within its own statement: a batch of a thousand contacts waited
 * for it 10 ms at best, 400 ms where pages had to be read. It takes no transaction id, so that the log does not wait for it.
 */
export async function tidySearch(sql: pg.Pool): Promise<number> {
  const { rows } = await sql.query<{ pages: number }>(TIDY_STATEMENT)
  return rows[0]!.pages
}
