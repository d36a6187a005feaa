import { createScratch } from '../scratch.ts'

/** How the content of a part goes through lines of limited length (RFC 2045 section 6). */
export type Encoded = { encoding: '7bit' | 'quoted-printable' | 'base64'; body: Buffer }

/** RFC 5322 section 2.1.1, without CRLF. */
const LINE_BYTES_MAX = 998
/** RFC 2045 sections 6.7 and 6.8. */
const ENCODED_LINE_CHARS = 76
/** Our boundaries begin with it; it cannot occur in quoted-printable, nor in base64. */
export const BOUNDARY_START = '=_'

/**
 * Text in the shortest encoding that survives: as it is where it is ASCII in lines that may be, base64 where most of it is
 * not ASCII, else quoted-printable. Every kind of line break becomes CRLF.
 */
export function encodeText(given: string): Encoded {
  const text = given.toWellFormed()
  const utf8Bytes = Buffer.byteLength(text)
  const beyondAscii = utf8Bytes - text.length
  if (beyondAscii === 0 && isSevenBit(text)) {
    return { encoding: '7bit', body: Buffer.from(crlf(text), 'latin1') }
  }
  // A letter of two bytes is one of `beyondAscii` and takes four characters more; of three bytes, two and six.
  if (3 * beyondAscii > utf8Bytes / 3) {
    return encodeBytes(Buffer.from(crlf(text), 'utf8'))
  }
  return { encoding: 'quoted-printable', body: quotedPrintable(Buffer.from(text, 'utf8')) }
}

function crlf(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return lines.replaceAll('\n', '\r\n')
}

/** Whether ASCII text may stand as it is: no control characters, no long line, nothing that mail servers alter. */
function isSevenBit(text: string): boolean {
  if (/[^\t\n\r -~]/.test(text) || text.includes(`--${BOUNDARY_START}`)) return false
  // Stored in the mbox format, `From ` at the start of a line becomes `>From `, and the signature is broken.
  if (/(?:^|[\r\n])From /.test(text)) return false
  let start = 0
  while (start < text.length) {
    const lineEnd = text.indexOf('\n', start)
    const end = lineEnd === -1 ? text.length : lineEnd
    if (end - start > LINE_BYTES_MAX) return false
    start = end + 1
  }
  return true
}

/** Base64 in lines of 76 characters. */
export function encodeBytes(bytes: Buffer): Encoded {
  const text = bytes.toString('base64')
  const lines = Math.ceil(text.length / ENCODED_LINE_CHARS)
  const body = Buffer.allocUnsafe(text.length + 2 * Math.max(lines - 1, 0))
  let at = 0
  for (let start = 0; start < text.length; start += ENCODED_LINE_CHARS) {
    if (start > 0) at += body.write('\r\n', at, 'latin1')
    at += body.write(text.slice(start, start + ENCODED_LINE_CHARS), at, 'latin1')
  }
  return { encoding: 'base64', body }
}

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DOT = 0x2e
const EQUALS = 0x3d
const LETTER_F = 0x46
const HEX = Uint8Array.from(Buffer.from('0123456789ABCDEF'))
/** What a byte stands for in a line: itself, itself unless the line ends after it, or its code. */
const ITSELF = 1
const ITSELF_INSIDE = 2
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === SPACE || byte === TAB) return ITSELF_INSIDE
  return byte > SPACE && byte <= 0x7e && byte !== EQUALS ? ITSELF : 0
})

const scratch = createScratch()

/**
 * RFC 2045 section 6.7. A dot or an F at the start of a line is encoded: neither dot-stuffing nor mbox touches it then.
 * Runs of plain characters are copied by a loop of their own, which takes a third of the time.
 */
function quotedPrintable(bytes: Uint8Array): Buffer {
  // Three characters for each byte, and a soft break of three for each 73 of them at the least.
  const buffer = scratch(bytes.length * 3 + Math.ceil((bytes.length * 3) / 73) * 3)
  const out: Uint8Array = buffer
  let at = 0
  let lineStart = 0
  for (let n = 0; n < bytes.length; n++) {
    // The last place of a line is the soft break's; what may need it, or ends a line, is left to the rest of the loop.
    const end = Math.min(bytes.length - 1, n + ENCODED_LINE_CHARS - 1 - (at - lineStart))
    while (at > lineStart && n < end && (KIND[bytes[n]!] === ITSELF || isInside(bytes, n))) out[at++] = bytes[n++]!
    const byte = bytes[n]!
    if (byte === LF || byte === CR) {
      if (byte === CR && bytes[n + 1] === LF) n++
      out[at++] = CR
      out[at++] = LF
      lineStart = at
      continue
    }
    const endsLine = isLineEnd(bytes, n + 1)
    const isLiteral = KIND[byte] === ITSELF || (KIND[byte] === ITSELF_INSIDE && !endsLine)
    if (at - lineStart + (isLiteral ? 1 : 3) > ENCODED_LINE_CHARS - (endsLine ? 0 : 1)) {
      out[at++] = EQUALS
      out[at++] = CR
      out[at++] = LF
      lineStart = at
    }
    if (isLiteral && (at > lineStart || (byte !== DOT && byte !== LETTER_F))) {
      out[at++] = byte
    } else {
      out[at++] = EQUALS
      out[at++] = HEX[byte >> 4]!
      out[at++] = HEX[byte & 15]!
    }
  }
  return Buffer.from(buffer.subarray(0, at))
}

function isInside(bytes: Uint8Array, n: number): boolean {
  return KIND[bytes[n]!] === ITSELF_INSIDE && !isLineEnd(bytes, n + 1)
}

function isLineEnd(bytes: Uint8Array, n: number): boolean {
  return n >= bytes.length || bytes[n] === LF || bytes[n] === CR
}
