import { createScratch } from '../scratch.ts'

/** RFC 2045 section 6.7, rule 5. */
const LINE_CHARS = 76
export const SOFT_BREAK = '=\r\n'
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DOT = 0x2e
const EQUALS = 0x3d
const LETTER_F = 0x46
const HEX = Uint8Array.from(Buffer.from('0123456789ABCDEF'))
/** Bytes that stand for themselves wherever they are; a space does where ink follows it in its line. */
const IS_ITSELF = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte > SPACE && byte <= 0x7e && byte !== EQUALS))

const scratch = createScratch()

/**
 * Text in quoted-printable (RFC 2045 section 6.7) that can be followed by more: its last line has room for a soft break
 * and does not end in white space. Every kind of line break becomes CRLF. Characters that are altered on the way are
 * encoded too: a dot or an F at the start of a line (dot-stuffing, mbox), tabs, spaces before others or at the end of a
 * line. So this is its own relaxed form (RFC 6376 section 3.4.4).
 */
export function quotedPrintable(text: string): Buffer {
  const bytes = Buffer.from(text)
  // Three characters for each byte, and a soft break of three for each 73 of them at the least.
  const buffer = scratch(bytes.length * 3 + Math.ceil((bytes.length * 3) / 73) * 3)
  const out: Uint8Array = buffer
  let at = 0
  let lineStart = 0
  for (let n = 0; n < bytes.length; n++) {
    // Runs of plain characters are copied by a loop of their own, which takes a third of the time. The last place of a
    // line is the soft break's; what may need it, or ends a line, is left to the rest of the loop.
    const end = Math.min(bytes.length - 1, n + LINE_CHARS - 1 - (at - lineStart))
    while (at > lineStart && n < end && isItself(bytes, n)) out[at++] = bytes[n++]!
    const byte = bytes[n]!
    if (byte === LF || byte === CR) {
      if (byte === CR && bytes[n + 1] === LF) n++
      out[at++] = CR
      out[at++] = LF
      lineStart = at
      continue
    }
    const literal = isItself(bytes, n)
    const isLast = bytes[n + 1] === LF || bytes[n + 1] === CR
    if (at - lineStart + (literal ? 1 : 3) > LINE_CHARS - (isLast ? 0 : 1)) {
      out[at++] = EQUALS
      out[at++] = CR
      out[at++] = LF
      lineStart = at
    }
    if (literal && (at > lineStart || (byte !== DOT && byte !== LETTER_F))) {
      out[at++] = byte
    } else {
      out[at++] = EQUALS
      out[at++] = HEX[byte >> 4]!
      out[at++] = HEX[byte & 15]!
    }
  }
  return Buffer.from(buffer.subarray(0, at))
}

function isItself(bytes: Uint8Array, n: number): boolean {
  const byte = bytes[n]!
  return IS_ITSELF[byte] === 1 || (byte === SPACE && n + 1 < bytes.length && bytes[n + 1]! > SPACE)
}

/** Whether what comes next begins a line. */
export function endsLine(encoded: Buffer): boolean {
  return encoded.at(-1) === LF
}
