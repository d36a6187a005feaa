import assert from 'node:assert/strict'
import { hashPassword } from '../../server/modules/auth/password-hash.ts'
import { type Answer, type Call, send } from './http-client.ts'
import type { TestedInstance } from './tested-instance.ts'

export type SiteCall = Call & { cookie?: string | undefined }

/** Somebody who logs in to the dashboard of an instance. */
export type Person = { id: string; email: string; name: string; password: string; cookie: string }

/** A browser's view of an instance: requests of the dashboard's own pages. */
export type SiteCaller = {
  call(method: string, path: string, call?: SiteCall): Promise<Answer>
  logIn(email: string, password: string, headers?: Record<string, string>): Promise<Answer>
  /** Makes an account behind the service's back, a member of the workspace unless the role is undefined, and logs it in. */
  person(name: string, role?: string, workspaceId?: string): Promise<Person>
}

/** The session of a login. A login that was refused says so here, and not as a 401 of whatever comes next. */
export function cookieOf({ status, text, headers }: Answer): string {
  assert.ok(headers['set-cookie'] !== undefined, `no session: ${status} ${text}`)
  return String(headers['set-cookie']).split(';', 1)[0] as string
}

export function siteCaller(instance: Pick<TestedInstance, 'baseUrl' | 'sql'>): SiteCaller {
  const call: SiteCaller['call'] = (method, path, { cookie, ...given } = {}) => {
    const headers = { origin: instance.baseUrl, ...(cookie === undefined ? {} : { cookie }), ...given.headers }
    return send(method, instance.baseUrl + path, { ...given, headers })
  }
  const logIn: SiteCaller['logIn'] = async (email, password, headers = {}) => {
    const answer = await call('POST', '/site/auth/login', { json: { email, password }, headers })
    // A machine that is busy with other tests may have no time for a password: asked again, as the answer says.
    return answer.status === 503 ? logIn(email, password, headers) : answer
  }
  return {
    call,
    logIn,
    async person(name, role, workspaceId = '1') {
      const email = `${name.toLowerCase()}@example.com`
      const password = `password of ${name}`
      const [user] = await instance.sql<{ id: string }>(
        'insert into users (email, name, password_hash) values ($1, $2, $3) returning id',
        [email, name, await hashPassword(password)],
      )
      if (role !== undefined) {
        await instance.sql('insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)', [
          workspaceId,
          user!.id,
          role,
        ])
      }
      return { id: user!.id, email, name, password, cookie: cookieOf(await logIn(email, password)) }
    },
  }
}
