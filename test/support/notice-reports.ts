import { NOTICE_KINDS } from './notice-kinds.ts'
import { type NoticeKind, type NoticePart, REFUSALS, type Refusal } from './notices/notice-kind.ts'
import { base64, type ReportParts } from './pack-report.ts'

export type NoticeVariant = { name: string; bytes: Buffer; refusal: Refusal; names: boolean }

const BOUNDARY = '        1234567890/mx.relay.example'

/** Every kind of notice with every refusal, as most send it, and with CRLF and its texts in base64: ten of each. */
export function noticeVariants(parts: ReportParts): NoticeVariant[] {
  return NOTICE_KINDS.flatMap((kind) =>
    (Object.keys(REFUSALS) as Refusal[]).flatMap((refusal) => [
      variant(kind, refusal, notice(kind, refusal, parts)),
      variant(kind, refusal, notice(kind, refusal, parts, true).replaceAll('\n', '\r\n')),
    ]),
  )
}

/** One notice of a kind, for whom `recipient` is the one that failed. */
export function noticeOfKind(name: string, parts: ReportParts, recipient: string): Buffer {
  const kind = NOTICE_KINDS.find((one) => one.name === name)!
  return Buffer.from(notice(kind, 'unknown', parts).replaceAll('ada@example.com', recipient))
}

function variant(kind: NoticeKind, refusal: Refusal, mail: string): NoticeVariant {
  const form = mail.includes('\r\n') ? 'in base64' : 'as most do'
  return { name: `${kind.name}, ${refusal}, ${form}`, bytes: Buffer.from(mail), refusal, names: kind.names }
}

function notice(kind: NoticeKind, refusal: Refusal, { to, original }: ReportParts, inBase64 = false): string {
  const parts = kind.parts(kind.words?.[refusal] ?? REFUSALS[refusal], original)
  const entities = parts.map((part) => entity(part, inBase64 && !part.type.startsWith('message/rfc822')))
  const head = [
    `From: ${kind.from}`,
    `To: ${to}`,
    `Subject: ${kind.subject}`,
    'Date: Sat, 21 Nov 2026 08:00:00 +0000',
    ...(kind.header ?? []),
    'MIME-Version: 1.0',
  ].join('\n')
  if (entities.length === 1) return `${head}\n${entities[0]}`
  const multipart = `multipart/${kind.multipart ?? 'mixed'};boundary="${BOUNDARY}"`
  const pieces = entities.map((one) => `--${BOUNDARY}\n${one}\n`).join('\n')
  return `${head}\nContent-Type: ${multipart}\n\nThis is a MIME-encapsulated message.\n\n${pieces}\n--${BOUNDARY}--\n`
}

function entity({ type, text }: NoticePart, inBase64: boolean): string {
  const encoding = inBase64 ? 'base64' : '8bit'
  return `Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${inBase64 ? base64(text) : text}`
}
