import { HOUR_SECONDS } from '../../platform/durations.ts'
import { SESSION_HOURS_MAX } from './sessions.ts'

const SESSION_ID = /^[\w-]{43}$/

/** Over https the prefix makes browsers refuse the cookie from anywhere but this very host (RFC 6265bis section 4.1.3). */
export function sessionCookieName(https: boolean): string {
  return https ? '__Host-postroom_session' : 'postroom_session'
}

export function sessionCookie(sessionId: string, https: boolean): string {
  return cookie(sessionId, https, SESSION_HOURS_MAX * HOUR_SECONDS)
}

export function clearedSessionCookie(https: boolean): string {
  return cookie('', https, 0)
}

/** Lax, so that a link from a mail opens the dashboard logged in; what changes anything is guarded by its origin. */
function cookie(value: string, https: boolean, maxAgeSeconds: number): string {
  const secure = https ? '; Secure' : ''
  return `${sessionCookieName(https)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

/** The session id of a request's `Cookie` header, if it has one of the right form. */
export function sessionIdOf(header: string | undefined, https: boolean): string | undefined {
  const start = `${sessionCookieName(https)}=`
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start))
  const value = pair?.slice(start.length)
  return value !== undefined && SESSION_ID.test(value) ? value : undefined
}
