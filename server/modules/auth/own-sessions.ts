import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { type Origin, recordAccountAudit } from './people.ts'
import { closeOtherSessions, LIVE_SESSION, type SignedIn } from './sessions.ts'

type Deps = { sql: pg.Pool }

export type OwnSession = {
  id: string
  createdAt: string
  lastSeenAt: string
  ip: string | null
  userAgent: string | null
  /** Whether it is the one that asks. */
  current: boolean
}

/** The sessions of a person that are not over, newest first. */
export async function listOwnSessions(
  { sql }: Deps,
  { user, sessionHash }: SignedIn,
  query: PageQuery,
): Promise<{ items: OwnSession[]; total: number }> {
  const [sessions, count] = await Promise.all([
    sql.query<OwnSession>({
      name: 'own-sessions',
      text: `select s.id, s.created_at as "createdAt", s.seen_at as "lastSeenAt", s.ip, s.user_agent as "userAgent",
               s.hash = $2 as current
             from sessions s where s.user_id = $1 and ${LIVE_SESSION} order by s.id desc limit $3 offset $4`,
      values: [user.id, sessionHash, query.pageSize, rowsBefore(query)],
    }),
    sql.query<{ total: string }>({
      name: 'own-sessions-total',
      text: `select count(*) as total from sessions s where s.user_id = $1 and ${LIVE_SESSION}`,
      values: [user.id],
    }),
  ])
  return { items: sessions.rows, total: Number(count.rows[0]?.total ?? 0) }
}

/** Ends one of the person's own sessions, the one in use too. 404 for anybody else's. */
export async function endOwnSession({ sql }: Deps, { user }: SignedIn, input: { id: string; origin: Origin }) {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const { rowCount } = await tx.query('delete from sessions where user_id = $1 and id = $2', [user.id, input.id])
    if (rowCount === 0) throw notFound()
    await recordAccountAudit(tx, user, { ...input.origin, action: 'user.sign_out' })
  })
}

/** Ends every session of the person but the one in use. */
export async function signOutEverywhere({ sql }: Deps, signedIn: SignedIn, origin: Origin): Promise<void> {
  const { user, sessionHash } = signedIn
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const sessions = await closeOtherSessions(tx, user.id, sessionHash)
    const diff = { sessions: { from: sessions + 1, to: 1 } }
    await recordAccountAudit(tx, user, { ...origin, action: 'user.sign_out_everywhere', diff })
  })
}
