import type pg from 'pg'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { createFreshAnswers } from '../../platform/fresh-answers.ts'
import { isOriginAllowed } from '../trackers/allowed-origins.ts'
import type { AddressOfClick } from '../tracking/address-of-click.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { makeToken, readToken } from '../tracking/link-token.ts'

/** The parameter by which a page learns that a link of a mail was followed to it. `/t.js` takes it off the address at once. */
export const LANDING_PARAMETER = 'pr_link'
/** A page is there seconds after the click; addresses are kept and passed on for longer. */
const LANDING_SECONDS = HOUR_SECONDS
/** The longest that a click waits for what its page is told. */
const WAIT_MS = 300

export type LandingDeps = { sql: pg.Pool; keys: LinkKeys; clock?: Clock; nowMs?: () => number }

/**
 * Tells pages which mail brought somebody to them: those alone that a tracker with `linkIdentity` names as its own. Mails are forwarded, so that it
 * is off at first, and proves no more than that the link was followed.
 */
export function createLandings({ sql, keys, clock = systemClock, nowMs = Date.now }: LandingDeps): AddressOfClick {
  const answers = createFreshAnswers((workspaceId) => landingOrigins(sql, workspaceId))
  return async ({ workspaceId, messageId, url }) => {
    try {
      const { origin } = new URL(url)
      const origins = await within(clock, Promise.resolve(answers.lookUp(workspaceId, () => true)))
      if (origins === undefined || origins.length === 0 || !isOriginAllowed(origins, origin)) return url
      const until = Math.floor(nowMs() / 1_000) + LANDING_SECONDS
      return withParameter(url, makeToken(keys.current(), 'landing', [workspaceId, messageId, String(until)]))
    } catch {
      // A link leads on, whatever the database does.
      return url
    }
  }
}

/** The message that a landing's token names, if it is of the workspace and good still. */
export async function messageOfLanding(
  { keys, nowMs = Date.now }: Pick<LandingDeps, 'keys' | 'nowMs'>,
  workspaceId: string,
  token: string,
): Promise<string | undefined> {
  const parts = await readToken(keys, 'landing', token)
  if (parts === undefined) return undefined
  const [ofWorkspace, messageId, until] = parts
  return ofWorkspace === workspaceId && Number(until) * 1_000 > nowMs() ? messageId : undefined
}

/** At the end of the query: nothing else of the address changes by a byte. */
function withParameter(url: string, token: string): string {
  const [, address = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url)!
  return `${address}${address.includes('?') ? '&' : '?'}${LANDING_PARAMETER}=${token}${fragment}`
}

async function landingOrigins(sql: pg.Pool, workspaceId: string): Promise<readonly string[]> {
  const rows = await queryInScope<{ origins: string[] }>(sql, workspaceId, {
    name: 'landing_origins',
    text: `select allowed_origins as origins from trackers
      where workspace_id = $1 and link_identity and not paused and cardinality(allowed_origins) > 0`,
    values: [workspaceId],
  })
  return rows.flatMap(({ origins }) => origins)
}

async function within<T>(clock: Clock, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(WAIT_MS, () => resolve(undefined))
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
