import type { Permission } from '../../server/catalogue/permissions.ts'
import { ROLE_PERMISSIONS, type Role } from '../../server/modules/auth/roles.ts'
import type { Call } from '../support/http-client.ts'

/** What somebody may do from a change on; it came into force between the request for it and its answer. Times of `performance.now()`. */
type Change = { may: ReadonlySet<Permission>; beganAt: number; endedAt: number }

/** Somebody whose rights the crowd changes: a person, or a token. One change of theirs is under way at a time. */
export type Holder = {
  name: string
  /** The user's or the token's. */
  id: string
  email: string
  password: string
  door: 'site' | 'api'
  login: Call
  changes: Change[]
  /** For so long after the answer a right that was taken away may be used. */
  slackMs: number
  isChanging: boolean
}

export const NOTHING: ReadonlySet<Permission> = new Set()
/** What is revoked is refused within a second on every process. */
const TOKEN_SLACK_MS = 1_000

export const mayOf = (role: Role): ReadonlySet<Permission> => ROLE_PERMISSIONS[role]

export function holder(
  given: Pick<Holder, 'name' | 'id' | 'door' | 'login'> & {
    email?: string
    password?: string
    may: ReadonlySet<Permission>
  },
): Holder {
  const { may, email = '', password = '', ...who } = given
  const slackMs = who.door === 'api' ? TOKEN_SLACK_MS : 0
  return { ...who, email, password, slackMs, changes: [{ may, beganAt: 0, endedAt: 0 }], isChanging: false }
}

/** Has one change made at a time: `make` answers what they may do then, or undefined where nothing was changed. Says nothing while another is under way. */
export async function change(who: Holder, make: () => Promise<ReadonlySet<Permission> | undefined>): Promise<void> {
  if (who.isChanging) return
  who.isChanging = true
  const beganAt = performance.now()
  try {
    const may = await make()
    if (may !== undefined) who.changes.push({ may, beganAt, endedAt: performance.now() })
  } finally {
    who.isChanging = false
  }
}

/** Whether somebody had a right all the time that a request took, at no time of it, or nobody can say. */
export function hadRight(
  { changes, slackMs }: Holder,
  { needs, beganAt, endedAt }: { needs: Permission; beganAt: number; endedAt: number },
): 'always' | 'never' | 'perhaps' {
  const settled = changes.findLastIndex((one) => one.endedAt + slackMs <= beganAt)
  const possible = changes.slice(Math.max(0, settled)).filter((one) => one.beganAt <= endedAt)
  const had = possible.filter(({ may }) => may.has(needs)).length
  if (had === 0) return 'never'
  return had === possible.length ? 'always' : 'perhaps'
}
