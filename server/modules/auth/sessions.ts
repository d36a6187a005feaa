import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { noSession } from '../../catalogue/problems.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { isStorableText } from '../../platform/json/exact-json.ts'
import { lockPerson, type Origin, type User } from './people.ts'
import type { Role } from './roles.ts'

/** A session ends after this long without a request, and at the latest after the second limit. */
const IDLE_HOURS_MAX = 24 * 7
export const SESSION_HOURS_MAX = 24 * 30
const SEEN_EVERY = '1 minute'
const SESSION_ID_BYTES = 32
const USER_AGENT_CHARS_MAX = 500

/** A person who is logged in, and the stored form of the session they use. */
export type SignedIn = { user: User; sessionHash: Buffer }

export function sessionHash(sessionId: string): Buffer {
  return hash('sha256', sessionId, 'buffer')
}

/** Opens a session and answers its id, which only the cookie holds. */
export async function openSession(tx: Transaction, user: User, origin: Origin): Promise<string> {
  const sessionId = randomBytes(SESSION_ID_BYTES).toString('base64url')
  await tx.query('insert into sessions (hash, user_id, ip, user_agent) values ($1, $2, $3, $4)', [
    sessionHash(sessionId),
    user.id,
    origin.ip,
    origin.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
  ])
  return sessionId
}

/**
 * Locks a person for a change of how they log in that their session asks for. Throws 401 when it was ended since it was
 * looked up: by a new password, which is another than the one it has shown, or by a factor that was set up.
 */
export async function lockSignedIn(tx: Transaction, { user, sessionHash: session }: SignedIn): Promise<void> {
  await lockPerson(tx, user.id)
  const { rowCount } = await tx.query('select from sessions where hash = $1 and user_id = $2', [session, user.id])
  if (rowCount !== 1) throw noSession()
}

/** Ends a session; answers whose it was. */
export async function closeSession(tx: Transaction, session: Buffer): Promise<User | undefined> {
  const { rows } = await tx.query<User>(
    'delete from sessions s using users u where s.hash = $1 and u.id = s.user_id returning u.id, u.email, u.name',
    [session],
  )
  return rows[0]
}

/** Ends all of a person's sessions but the one kept, if any. */
export async function closeOtherSessions(tx: Transaction, userId: string, kept: Buffer | undefined): Promise<number> {
  const { rowCount } = await tx.query('delete from sessions where user_id = $1 and hash is distinct from $2', [
    userId,
    kept ?? null,
  ])
  return rowCount ?? 0
}

/** Deletes sessions that are over. */
export async function deleteOldSessions(sql: pg.Pool): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, {
    from: 'sessions',
    where: 'seen_at < now() - make_interval(hours => $1) or created_at < now() - make_interval(hours => $2)',
    values: [IDLE_HOURS_MAX, SESSION_HOURS_MAX],
  })
}

/** Of `sessions s` that are not over. */
export const LIVE_SESSION = `s.seen_at > now() - make_interval(hours => ${IDLE_HOURS_MAX})
  and s.created_at > now() - make_interval(hours => ${SESSION_HOURS_MAX})`
const LIVE = `s.hash = $1 and ${LIVE_SESSION}`
const USER_COLUMNS = `u.id, u.email, u.name, s.seen_at < now() - interval '${SEEN_EVERY}' as "isStale"`

type SessionRow = User & { isStale: boolean }

/** The user of a session, unless it is over. */
export async function sessionUser(sql: pg.Pool, session: Buffer): Promise<User | undefined> {
  const [row] = await queryInScope<SessionRow>(sql, ALL_WORKSPACES, {
    name: 'session-user',
    text: `select ${USER_COLUMNS} from sessions s join users u on u.id = s.user_id where ${LIVE}`,
    values: [session],
  })
  return row && (await seen(sql, session, row))
}

/** Of `workspaces w`: whether it asks for a second factor that the person, named by a column, has not. */
export const isClosedTo = (userId: string): string => `(coalesce(w.require_second_factor, false) and not exists (
  select from second_factors f where f.user_id = ${userId} and f.confirmed_at is not null))`

export type Member = {
  user: User
  /** `closed`: it asks for a second factor, and this person has none yet. */
  workspace: { id: string; role: Role; closed: boolean } | undefined
}

/** The user of a session, and their role in the workspace of that slug; `workspace` is undefined for somebody else's. */
export async function sessionMember(sql: pg.Pool, session: Buffer, slug: string): Promise<Member | undefined> {
  const [row] = await queryInScope<SessionRow & { workspaceId: string | null; role: Role | null; closed: boolean }>(
    sql,
    ALL_WORKSPACES,
    {
      name: 'session-member',
      text: `select ${USER_COLUMNS}, m.workspace_id as "workspaceId", m.role,
             ${isClosedTo('u.id')} as closed
           from sessions s join users u on u.id = s.user_id
           left join workspaces w on w.slug = $2
           left join memberships m on m.workspace_id = w.id and m.user_id = u.id
           where ${LIVE}`,
      // No workspace has a slug that no text of the database can be.
      values: [session, isStorableText(slug) ? slug : ''],
    },
  )
  if (row === undefined) return undefined
  const { workspaceId, role, closed } = row
  const workspace = workspaceId !== null && role !== null ? { id: workspaceId, role, closed } : undefined
  return { user: await seen(sql, session, row), workspace }
}

async function seen(sql: pg.Pool, session: Buffer, { isStale, ...row }: SessionRow): Promise<User> {
  if (isStale) await sql.query('update sessions set seen_at = now() where hash = $1', [session])
  return { id: row.id, email: row.email, name: row.name }
}
