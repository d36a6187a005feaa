import { REPLY_CHARS_MAX } from './smtp-failure.ts'

/** A whole reply: the code of its lines, the enhanced code of its first one, its texts in one line. */
export type WireReply = { code: number; enhanced: string | null; text: string }

export type ReplyReader = {
  push(chunk: Buffer): WireReply[] | null
  /** The texts of the last whole reply, line by line: each of the answer to EHLO names an extension. */
  readonly lastTexts: readonly string[]
  /** Whether a reply has begun and is not whole. */
  readonly isAmid: boolean
}

/** Bytes of a whole reply; RFC 5321 section 4.5.3.1.5 has 512 bytes a line, and replies have a few lines. */
const REPLY_BYTES_MAX = 64 * 1_024
/** RFC 5321 section 4.2; a space after the code may be missing where there is no text. */
const LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?: |$)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: whatever a server says is kept as one line of text.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g

/**
 * Reads replies out of the bytes of a connection, wherever the network cuts them. `push` answers the replies that are
 * whole by now, and null when what came is not SMTP: the connection is of no use then.
 */
export function createReplyReader(): ReplyReader {
  let rest = Buffer.alloc(0)
  let lastTexts: readonly string[] = []
  let bytes = 0
  let lines: { code: number; text: string }[] = []

  /** Takes one line; true when it is no line of this reply. */
  function isWrong(line: string): boolean {
    const [, digits, separator, text = ''] = LINE.exec(line) ?? []
    if (digits === undefined) return true
    const code = Number(digits)
    if (lines.length > 0 && lines[0]?.code !== code) return true
    lines.push({ code, text })
    more = separator === '-'
    return false
  }
  let more = false

  return {
    get lastTexts() {
      return lastTexts
    },
    get isAmid() {
      return rest.length > 0 || lines.length > 0
    },
    push(chunk) {
      const replies: WireReply[] = []
      let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let end = data.indexOf(10)
      while (end !== -1) {
        bytes += end + 1
        if (bytes > REPLY_BYTES_MAX || isWrong(data.toString('utf8', 0, end).replace(/\r$/, ''))) return null
        if (!more) {
          replies.push(joined(lines))
          lastTexts = lines.map(({ text }) => text)
          lines = []
          bytes = 0
        }
        data = data.subarray(end + 1)
        end = data.indexOf(10)
      }
      if (bytes + data.length > REPLY_BYTES_MAX) return null
      rest = Buffer.from(data)
      return replies
    },
  }
}

function joined(lines: readonly { code: number; text: string }[]): WireReply {
  const enhanced = ENHANCED.exec(lines[0]?.text ?? '')?.[1] ?? null
  const texts = lines.map(({ text }) =>
    ENHANCED.exec(text)?.[1] === enhanced ? text.slice(enhanced?.length ?? 0) : text,
  )
  const text = texts.join(' ').replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim().slice(0, REPLY_CHARS_MAX)
  return { code: lines[0]?.code ?? 0, enhanced, text }
}

/** The reply as a line, as people know it: `550 5.1.1 User unknown`. */
export function replyLine({ code, enhanced, text }: WireReply): string {
  return [code, enhanced, text]
    .filter((part) => part !== null && part !== '')
    .join(' ')
    .slice(0, REPLY_CHARS_MAX)
}

/** Reads a reply that is there as text, cut perhaps, such as that of a failed opening; null when it is none. */
export function parseReply(text: string): WireReply | null {
  const lines = text.split(/[\r\n]+/).filter((line) => line !== '')
  const ended = lines.map((line, index) => (index === lines.length - 1 ? line.replace(/^(\d{3})-/, '$1 ') : line))
  return createReplyReader().push(Buffer.from(ended.map((line) => `${line}\n`).join('')))?.[0] ?? null
}
