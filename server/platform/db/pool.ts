import pg from 'pg'
import { AbandonedSessions } from './abandoned-sessions.ts'
import { NO_LOCK_TIMEOUT, READ_COMMITTED } from './own-settings.ts'
import { Session, type SessionOptions, serverLimitMs } from './session.ts'

/** How long a caller waits for a free or a new connection before it is told that the database is away. */
export const CONNECT_TIMEOUT_MS = 1_500
/** How long a statement may take unless its caller states another limit: requests must answer 503 within 2 s. */
export const QUERY_TIMEOUT_MS = 1_800
/** The server's own limit, for statements whose client is gone. */
export const STATEMENT_TIMEOUT_MS = 60_000
/** A process that is frozen between two statements holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 6_000
/** How soon the server notices in the middle of a statement that its client is gone. */
const CLIENT_CHECK_MS = 2_000

export type PoolName = 'sql' | 'pgx'

export type PoolOptions = {
  /** Label of the pool's metrics, and part of the connection's `application_name`. */
  name: PoolName
  url: string
  max: number
  /** Role taken on by every session, when the login role is a superuser and so would walk through row-level security. */
  role?: string | undefined
  /** Whether it is a copy's, whose mail stays in the mailbox: what is held goes on for it. */
  isCopy?: boolean
  /** Runs on every new connection before its first use; a rejection closes the connection. */
  onConnect?: (client: pg.ClientBase) => Promise<void>
  /** How many times longer than promised connections and statements may take. */
  patience?: number
}

/**
 * A pool of pipelining connections: statements sent without awaiting each other share round trips.
 * int8 comes back as a decimal string, timestamps as RFC 3339 strings in UTC, json as text untouched.
 */
export function createPool({ patience = 1, ...options }: PoolOptions): pg.Pool {
  const settings = [
    `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    `-c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_TIMEOUT_MS * patience}`,
    NO_LOCK_TIMEOUT,
    READ_COMMITTED,
    '-c timezone=UTC',
    '-c datestyle=ISO',
    options.role === undefined ? '' : `-c role=${options.role}`,
    options.isCopy ? '-c postroom.copy=on' : '',
  ]
  const connection = {
    connectionString: options.url,
    application_name: `postroom-${options.name}`,
    options: settings.filter(Boolean).join(' '),
  }
  const abandoned = new AbandonedSessions(connection)
  const sessions: Omit<SessionOptions, keyof pg.ClientConfig> = {
    answerWithinMs: QUERY_TIMEOUT_MS * patience,
    abandoned,
  }
  const pool = new pg.Pool({
    ...connection,
    ...sessions,
    Client: Session as unknown as new () => pg.Client,
    max: options.max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS * patience,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    pipeline: true,
    types: { getTypeParser },
    ...(options.onConnect ? { onConnect: options.onConnect } : {}),
  })
  // A lost connection fails the statements on it and is replaced at the next use; an error event that nobody listens to
  // would end the process instead.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    // Servers on some systems cannot look, and refuse it.
    client.query(`set client_connection_check_interval = ${CLIENT_CHECK_MS}`).catch(() => undefined)
  })
  const end = pool.end.bind(pool) as () => Promise<void>
  pool.end = (async () => {
    abandoned.giveUp()
    await end()
  }) as typeof pool.end
  return pool
}

/**
 * The server's own limit for the statements of a transaction whose commit is already sent behind them: it ends the
 * statement, never the commit. A request to cancel, from outside, may come when the commit waits.
 */
export function limitedTo(pool: pg.Pool, queryTimeoutMs?: number): string {
  const { answerWithinMs } = pool.options as unknown as SessionOptions
  return `set local statement_timeout = ${serverLimitMs(queryTimeoutMs ?? answerWithinMs)}`
}

const asText = (value: string) => value
const TEXT_OIDS = new Set([20, 114, 3802, 1700])
const TIMESTAMPTZ_OID = 1184

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary') {
    if (TEXT_OIDS.has(oid)) return asText
    if (oid === TIMESTAMPTZ_OID) return rfc3339
  }
  return pg.types.getTypeParser(oid, format as 'text')
}

/** PostgreSQL's `2026-11-21 03:10:40.123456+00` as `2026-11-21T03:10:40.123456Z`. */
function rfc3339(value: string): string {
  return `${value.slice(0, 10)}T${value.slice(11).replace(/\+00(:00)?$/, 'Z')}`
}
