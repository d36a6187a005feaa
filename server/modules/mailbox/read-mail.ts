import type pg from 'pg'
import type { Email } from 'postal-mime'
import { inTransaction } from '../../platform/db/transaction.ts'
import { createLimitedThread, type LimitedThread, type Stopped } from '../../platform/limited-thread.ts'
import { type KnownKey, knownKeys } from '../sending-domains/known-keys.ts'
import { LINK_PATHS } from '../tracking/message-links.ts'
import { signingDomains } from './check-signatures.ts'
import { decoded, type MailJob, type MailResult, type OpenedMail } from './open-mail.ts'
import { type KeptMail, mailById } from './queries.ts'

export type MailKey = { workspaceId: string; id: string }

/** A caught mail, parsed as its receiver would. */
export type ReadMail = {
  mail: KeptMail
  opened: OpenedMail
  /** RFC 8058: where a POST unsubscribes, when the mail offers it. */
  oneClickUrl: URL | undefined
}

/** A mail of 25 MiB in lines of two characters would take minutes; an ordinary one takes some milliseconds. */
export const OPEN_CPU_MS_MAX = 3_000
const LIMITS = { cpuMs: OPEN_CPU_MS_MAX, wallMs: 30_000, heapMb: 512, idleMs: 10_000, waitingMax: 20 }
/** Of an answer that opens a mail: so much work, and a thread that begins for it, which takes seconds on a busy machine. */
export const OPEN_DEADLINE_MS = 8_000

export type MailOpener = LimitedThread<MailJob, MailResult>

/** Takes mails apart in a thread: anybody may write one. */
export function createMailOpener(given: Partial<typeof LIMITS> = {}): MailOpener {
  return createLimitedThread(new URL('./mail-thread.ts', import.meta.url), { ...LIMITS, ...given })
}

type ReadDeps = { sql: pg.Pool; opener: MailOpener }

/** A mail and the part of it that was asked for. Undefined when the mail is not there, or no longer. */
export async function readMail(
  { sql, opener }: ReadDeps,
  { workspaceId, id }: MailKey,
  part: MailJob['part'],
): Promise<{ mail: KeptMail; result: MailResult | Stopped } | undefined> {
  const kept = await inTransaction(sql, workspaceId, async (tx) => {
    const found = await mailById(tx, workspaceId, id)
    if (found === undefined) return undefined
    const known: KnownKey[] = []
    if (part === 'page')
      for (const domain of signingDomains(found.raw)) known.push(...(await knownKeys(tx, workspaceId, domain)))
    return { mail: found, keys: known }
  })
  if (kept === undefined) return undefined
  const { mail, keys } = kept
  return { mail, result: await opener.run({ raw: mail.raw, keys, part }) }
}

const PLAIN_HOST = /^[a-z0-9.:[\]-]+$/
/** Where links to unsubscribe lead, below whatever path the service has; behind it the token. */
const UNSUBSCRIBE_PATH = new RegExp(`/${LINK_PATHS.unsubscribe}/[A-Za-z0-9._~-]+$`)

export function oneClickUrlOf({ headers }: Pick<Email, 'headers'>): URL | undefined {
  const value = (key: string) => headers.find((header) => header.key === key)?.value ?? ''
  if (!/^\s*List-Unsubscribe=One-Click\s*$/i.test(value('list-unsubscribe-post'))) return undefined
  const url = URL.parse(/<(https?:[^<>]+)>/i.exec(value('list-unsubscribe'))?.[1]?.replaceAll(/\s/g, '') ?? '')
  if (url?.search !== '' || url.username !== '' || !UNSUBSCRIBE_PATH.test(url.pathname)) return undefined
  // A mail decides where the form goes to: nowhere among our own pages, and no host that could write into a policy.
  return PLAIN_HOST.test(url.host) && !decoded(url.pathname).startsWith('/app/') ? url : undefined
}
