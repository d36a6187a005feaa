import type pg from 'pg'
import { invalid } from '../../catalogue/problems.ts'
import type { Caller } from '../auth/caller.ts'
import { isOwnPassword } from '../auth/log-in.ts'

/** Somebody shows that the session is theirs. Throws 400 for a password that is missing or wrong. */
export async function requireOwnPassword(
  { sql }: { sql: pg.Pool },
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw invalid([{ pointer: '/password', detail: 'is required' }])
  const { requestId, ip, userAgent, actor } = caller
  const { rows } = await sql.query<{ id: string; email: string; name: string }>({
    name: 'user_of_approval',
    text: 'select id, email, name from users where id = $1',
    values: [actor.id],
  })
  const origin = { requestId, ip: ip ?? '', userAgent }
  if (rows[0] && (await isOwnPassword({ sql }, rows[0], { password, origin }))) return
  throw invalid([{ pointer: '/password', detail: 'is not your password' }])
}
