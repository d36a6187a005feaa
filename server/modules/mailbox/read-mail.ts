import type pg from 'pg'
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { inTransaction } from '../../platform/db/transaction.ts'
import { scanHtml } from '../../platform/html/scan-html.ts'
import { type KnownKey, knownKeys } from '../sending-domains/known-keys.ts'
import { checkSignatures, type SignatureCheck, signingDomains } from './check-signatures.ts'
import { type KeptMail, mailById } from './queries.ts'

export type MailKey = { workspaceId: string; id: string }

/** A caught mail, parsed as its receiver would. */
export type ReadMail = {
  mail: KeptMail
  parsed: Email
  attachments: readonly Attachment[]
  signatures: readonly SignatureCheck[]
  /** RFC 8058: where a POST unsubscribes, when the mail offers it. */
  oneClickUrl: URL | undefined
}

/** Of pictures put into their places, each as often as the HTML shows it: what is beyond stays away. */
const INLINE_CHARS_MAX = 64 * 1024 * 1024
/** How deep parts may nest before the rest of a mail is left unread. */
const NESTING_MAX = 50

/** Undefined when it is not there, or no longer. */
export async function readMail(sql: pg.Pool, { workspaceId, id }: MailKey): Promise<ReadMail | undefined> {
  const kept = await inTransaction(sql, workspaceId, async (tx) => {
    const found = await mailById(tx, workspaceId, id)
    if (found === undefined) return undefined
    const known: KnownKey[] = []
    for (const domain of signingDomains(found.raw)) known.push(...(await knownKeys(tx, workspaceId, domain)))
    return { mail: found, keys: known }
  })
  if (kept === undefined) return undefined
  const { mail, keys } = kept
  const parsed = await PostalMime.parse(mail.raw, { maxNestingDepth: NESTING_MAX })
  return {
    mail,
    parsed,
    attachments: parsed.attachments,
    signatures: await checkSignatures(mail.raw, keys),
    oneClickUrl: oneClickUrlOf(parsed),
  }
}

const PLAIN_HOST = /^[a-z0-9.:[\]-]+$/

export function oneClickUrlOf({ headers }: Pick<Email, 'headers'>): URL | undefined {
  const value = (key: string) => headers.find((header) => header.key === key)?.value ?? ''
  if (!/^\s*List-Unsubscribe=One-Click\s*$/i.test(value('list-unsubscribe-post'))) return undefined
  const url = URL.parse(/<(https?:[^<>]+)>/i.exec(value('list-unsubscribe'))?.[1]?.replaceAll(/\s/g, '') ?? '')
  // A mail decides where the form goes to: nowhere among our own pages, and no host that could write into a policy.
  return url && PLAIN_HOST.test(url.host) && !decoded(url.pathname).startsWith('/app/') ? url : undefined
}

/** The HTML part as a frame shows it: links open outside of it, and pictures that came along are in their places. */
export function framedHtml({ parsed, attachments }: Pick<ReadMail, 'parsed' | 'attachments'>): string {
  const html = parsed.html ?? ''
  const head = scanHtml(html).find((token) => token.kind === 'open' && token.name === 'head')?.end ?? 0
  const inline = new Map(
    attachments.flatMap((part) => (part.contentId ? [[part.contentId.replace(/^<|>$/g, ''), part] as const] : [])),
  )
  let left = INLINE_CHARS_MAX
  const withPictures = (markup: string) =>
    markup.replaceAll(/\bcid:([^"'\s)>]+)/gi, (whole, id: string) => {
      const part = inline.get(id) ?? inline.get(decoded(id))
      if (part === undefined || left < 0) return whole
      const url = `data:${part.mimeType};base64,${bytesOf(part).toString('base64')}`
      left -= url.length
      return left < 0 ? whole : url
    })
  return `${withPictures(html.slice(0, head))}<base target="_blank">${withPictures(html.slice(head))}`
}

export function bytesOf({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return Buffer.from(content instanceof Uint8Array ? content : new Uint8Array(content))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
