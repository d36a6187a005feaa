import type pg from 'pg'

/** `workspace_id = $1`, with a table's name before it or not, quoted or not. */
const FILTER = /(?:"?\w+"?\.)?"?workspace_id"?\s*=\s*(\$\d+)(?:::bigint)?/g
const SCOPE = /^begin; set local postroom\.workspace = '(\*|\d+)'/

export type DefeatedFilters = {
  /** Statements that lost their filter and ran for one workspace all the same. */
  statements: Set<string>
}

/**
 * Makes every statement that a pool runs for one workspace forget to ask for it: `workspace_id = $1` becomes true. Then
 * row-level security alone stands between the workspaces. The system's own work over all of them is left as it is.
 */
export function defeatFilters(pool: pg.Pool): DefeatedFilters {
  const statements = new Set<string>()
  const connect = pool.connect.bind(pool)
  const wrapped = new WeakSet<pg.PoolClient>()
  type Connected = Parameters<typeof connect>[0]
  const connectDefeated = async (connected?: Connected) => {
    // The pool's own way, for statements outside of any scope.
    if (connected) return connect(connected)
    const client = await connect()
    if (!wrapped.has(client)) {
      wrapped.add(client)
      defeat(client, statements)
    }
    return client
  }
  pool.connect = connectDefeated as typeof pool.connect
  return { statements }
}

function defeat(client: pg.PoolClient, statements: Set<string>): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  let scope = '*'
  const rewrite = (text: string): string => {
    scope = SCOPE.exec(text)?.[1] ?? (/^(commit|rollback)$/.test(text) ? '*' : scope)
    // Rows that are written keep their workspace, which the statement says in its values, not in a condition.
    if (scope === '*' || text.search(FILTER) < 0) return text
    statements.add(text)
    return text.replaceAll(FILTER, (_, parameter) => `(${parameter}::bigint is not null)`)
  }
  const queryDefeated = (given: unknown, ...rest: unknown[]) => {
    if (typeof given === 'string') return query(rewrite(given), ...rest)
    const config = given as pg.QueryConfig
    return query(typeof config.text === 'string' ? { ...config, text: rewrite(config.text) } : config, ...rest)
  }
  client.query = queryDefeated as typeof client.query
}
