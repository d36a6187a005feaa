import { type Fields, readFieldGroups } from '../field-groups.ts'
import type { Leaf } from './walk-parts.ts'

/** Words of a mail system about a message, and the header of that message as far as it came back with them. */
export type Notice = { text: string; original: Fields | null }

/** Reports say what they say at their beginning; of what comes after it nothing is read. */
const NOTICE_CHARS_MAX = 24 * 1024
const LINES_MAX = 400
const LINE_CHARS_MAX = 2_000

const ORIGINAL_PARTS: ReadonlySet<string> = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
])

/** Lines behind which a system returns the message, or its header. */
const RETURNED = [
  /^[\s>*=-]{0,60}(?:below (?:this line )?is a copy of the|this is a copy of the|(?:the )?original message (?:follows|headers?\b)|(?:your )?original message *[-:]|returned (?:message|mail)\b|un(?:sent|delivered) message|message headers? follow|the header of the original|(?:the )?header of (?:the|your)|the (?:original )?message (?:header|body|text) follows|copy of (?:the|your) message|begin (?:of )?(?:original|returned)|message (?:body )?follows|here is a copy of|original headers?\b)/i,
  /^(?:received|return-path|x-received|x-originating-ip|dkim-signature|x-envelope-from|authentication-results): ?\S/i,
]

/** The notice in a mail's parts, and what it returns of the message: a part of its own, or the end of the text. */
export function noticeOf(leaves: readonly Leaf[]): Notice {
  const at = leaves.findIndex(({ type }) => ORIGINAL_PARTS.has(type))
  const before = at === -1 ? leaves : leaves.slice(0, at)
  const { notice, rest } = cut(textOf(before) || textOf(leaves.slice(at + 1)))
  const returned = at === -1 ? rest : leaves[at]!.text
  return { text: notice, original: readFieldGroups(returned, 1)[0] ?? null }
}

function textOf(leaves: readonly Leaf[]): string {
  const plain = leaves.filter(({ type }) => type === 'text/plain')
  const html =
    plain.length > 0 ? [] : leaves.filter(({ type }) => type === 'text/html').map(({ text }) => withoutTags(text))
  return [...plain.map(({ text }) => text), ...html].join('\n').trim()
}

const CHARACTERS: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  '#64': '@',
}

function withoutTags(html: string): string {
  return html
    .slice(0, 4 * NOTICE_CHARS_MAX)
    .replace(/<(?:br|p|div|tr|li|h\d)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&([a-z]{2,4}|#\d\d);/gi, (all, name: string) => CHARACTERS[name.toLowerCase()] ?? all)
}

function cut(text: string): { notice: string; rest: string } {
  const lines: string[] = []
  let at = 0
  while (at < text.length && lines.length < LINES_MAX && at < NOTICE_CHARS_MAX) {
    const end = text.indexOf('\n', at)
    const stop = end === -1 ? text.length : end
    const line = text.slice(at, Math.min(stop, at + LINE_CHARS_MAX)).trimEnd()
    if (RETURNED.some((mark) => mark.test(line))) return { notice: lines.join('\n'), rest: restFrom(text, at, stop) }
    lines.push(line)
    at = stop + 1
  }
  return { notice: lines.join('\n'), rest: '' }
}

/** The header that comes back begins with the line that showed it, or behind it. */
function restFrom(text: string, at: number, stop: number): string {
  return text.slice(/^[\w-]+: ?\S/.test(text.slice(at, stop)) ? at : stop)
}
