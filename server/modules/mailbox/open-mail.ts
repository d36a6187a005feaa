import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { scanHtml } from '../../platform/html/scan-html.ts'
import type { KnownKey } from '../sending-domains/known-keys.ts'
import { decodeEntities } from '../templates/layout/html-entities.ts'
import { checkSignatures, type SignatureCheck } from './check-signatures.ts'

/** A caught mail to take apart, and which part of it is asked for: `frame` is its HTML as a frame shows it, `whole` what a program reads. */
export type MailJob = {
  raw: Uint8Array
  keys: readonly KnownKey[]
  part: 'page' | 'frame' | 'whole' | { attachment: number }
}

export type MailFile = { filename: string | null; mimeType: string; bytes: number }

/** The part of a mail that a page shows. Long texts are cut: the whole is in the download. */
export type OpenedMail = Pick<Email, 'subject' | 'from' | 'to' | 'cc' | 'headers'> & {
  hasHtml: boolean
  text: string
  files: readonly MailFile[]
  signatures: readonly SignatureCheck[]
}

type Person = { name: string | null; address: string }

/** A mail as a program reads it. Long texts are cut. */
export type WholeMail = {
  from: Person | null
  to: Person[]
  cc: Person[]
  replyTo: Person[]
  html: string | null
  text: string | null
  links: string[]
  headers: { name: string; value: string }[]
  attachments: { fileName: string | null; contentType: string; contentId: string | null; sizeBytes: number }[]
}

export type MailResult =
  | { outcome: 'page'; page: OpenedMail }
  | { outcome: 'frame'; html: string }
  | { outcome: 'whole'; whole: WholeMail }
  | { outcome: 'attachment'; name: string | null; content: Uint8Array }
  | { outcome: 'missing' }
  /** Nobody can read it: the parser's own words. */
  | { outcome: 'failed'; message: string }

/** Of pictures put into their places, each as often as the HTML shows it: what is beyond stays away. */
const INLINE_CHARS_MAX = 64 * 1024 * 1024
/** How deep parts may nest before the rest of a mail is left unread. */
const NESTING_MAX = 50
const TEXT_CHARS_MAX = 512 * 1024
const HEADERS_MAX = 1_000
const HEADER_CHARS_MAX = 10_000
const ADDRESSES_MAX = 1_000
const FILES_MAX = 1_000

/** Takes a mail apart as its receiver would. Its time grows with its lines (9 us each): for a thread with limits. */
export async function openMail({ raw, keys, part }: MailJob): Promise<MailResult> {
  const parsed = await PostalMime.parse(raw, { maxNestingDepth: NESTING_MAX })
  if (part === 'page') return { outcome: 'page', page: await pageOf(parsed, Buffer.from(raw), keys) }
  if (part === 'whole') return { outcome: 'whole', whole: wholeOf(parsed) }
  if (part === 'frame') return { outcome: 'frame', html: framedHtml(parsed) }
  const file = parsed.attachments[part.attachment]
  if (file === undefined) return { outcome: 'missing' }
  return { outcome: 'attachment', name: file.filename, content: bytesOf(file) }
}

/** As a test looks at it: both parts, and the links of the HTML in their order. */
function wholeOf(parsed: Email): WholeMail {
  const html = parsed.html?.slice(0, TEXT_CHARS_MAX) ?? null
  const people = (list: Email['to']) =>
    (list ?? []).slice(0, ADDRESSES_MAX).map(({ name, address }) => ({ name: name || null, address: address ?? '' }))
  return {
    from: people(parsed.from && [parsed.from])[0] ?? null,
    to: people(parsed.to),
    cc: people(parsed.cc),
    replyTo: people(parsed.replyTo),
    html,
    text: parsed.text?.slice(0, TEXT_CHARS_MAX) ?? null,
    links: html === null ? [] : linksOf(html),
    headers: parsed.headers
      .slice(0, HEADERS_MAX)
      .map(({ originalKey, value }) => ({ name: originalKey, value: value.slice(0, HEADER_CHARS_MAX) })),
    attachments: parsed.attachments.slice(0, FILES_MAX).map((file) => ({
      fileName: file.filename,
      contentType: file.mimeType,
      contentId: file.contentId?.replace(/^<|>$/g, '') ?? null,
      sizeBytes: bytesOf(file).length,
    })),
  }
}

function linksOf(html: string): string[] {
  return scanHtml(html).flatMap((token) => {
    if (token.kind !== 'open' || token.name !== 'a') return []
    const href = token.attributes.find(({ name }) => name === 'href')
    const url = href && decodeEntities(html.slice(href.valueBegin, href.valueEnd).trim())
    return url ? [url] : []
  })
}

async function pageOf(parsed: Email, raw: Buffer, keys: readonly KnownKey[]): Promise<OpenedMail> {
  return {
    ...(parsed.subject === undefined ? {} : { subject: parsed.subject.slice(0, HEADER_CHARS_MAX) }),
    ...(parsed.from && { from: parsed.from }),
    ...(parsed.to && { to: parsed.to.slice(0, ADDRESSES_MAX) }),
    ...(parsed.cc && { cc: parsed.cc.slice(0, ADDRESSES_MAX) }),
    headers: parsed.headers
      .slice(0, HEADERS_MAX)
      .map((header) => ({ ...header, value: header.value.slice(0, HEADER_CHARS_MAX) })),
    hasHtml: Boolean(parsed.html),
    text: (parsed.text ?? '').slice(0, TEXT_CHARS_MAX),
    files: parsed.attachments.slice(0, FILES_MAX).map((file) => {
      const { filename, mimeType } = file
      return { filename, mimeType, bytes: bytesOf(file).length }
    }),
    signatures: await checkSignatures(raw, keys),
  }
}

/** The HTML part as a frame shows it: links open outside of it, and pictures that came along are in their places. */
export function framedHtml({ html = '', attachments }: Pick<Email, 'html' | 'attachments'>): string {
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

function bytesOf({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return Buffer.from(content instanceof Uint8Array ? content : new Uint8Array(content))
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
