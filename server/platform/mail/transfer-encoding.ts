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
export function encodeText(text: string): Encoded {
  const utf8 = Buffer.from(text.toWellFormed(), 'utf8')
  const beyondAscii = utf8.length - text.length
  if (beyondAscii === 0 && isSevenBit(text)) {
    return { encoding: '7bit', body: Buffer.from(text.replace(/\r\n?|\n/g, '\r\n'), 'latin1') }
  }
  // A letter of two bytes is one of `beyondAscii` and takes four characters more; of three bytes, two and six.
  if (3 * beyondAscii > utf8.length / 3) {
    return encodeBytes(Buffer.from(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n'), 'utf8'))
  }
  return { encoding: 'quoted-printable', body: quotedPrintable(utf8) }
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
const HEX = Buffer.from('0123456789ABCDEF')
/** 1 = stands for itself anywhere in a line; spaces and tabs do so except at its end. */
const LITERAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= SPACE && byte <= 0x7e && byte !== EQUALS) || byte === TAB ? 1 : 0,
)

/** RFC 2045 section 6.7. A dot or an F at the start of a line is encoded: neither dot-stuffing nor mbox touches it then. */
function quotedPrintable(bytes: Buffer): Buffer {
  // Three characters for each byte, and a soft break of three for each 73 of them at the least.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil((bytes.length * 3) / 73) * 3 + 3)
  const end = bytes.length
  let at = 0
  let column = 0
  for (let n = 0; n < end; n++) {
    const byte = bytes[n]!
    if (byte === LF || byte === CR) {
      if (byte === CR && bytes[n + 1] === LF) n++
      out[at++] = CR
      out[at++] = LF
      column = 0
      continue
    }
    const next = bytes[n + 1]
    const endsLine = next === undefined || next === LF || next === CR
    let literal = LITERAL[byte] === 1
    if (
      literal &&
      ((endsLine && (byte === SPACE || byte === TAB)) || (column === 0 && (byte === DOT || byte === LETTER_F)))
    ) {
      literal = false
    }
    // The last place of a line is the soft break's, unless the line ends there by itself.
    if (column + (literal ? 1 : 3) > ENCODED_LINE_CHARS - (endsLine ? 0 : 1)) {
      out[at++] = EQUALS
      out[at++] = CR
      out[at++] = LF
      column = 0
      if (byte === DOT || byte === LETTER_F) literal = false
    }
    if (literal) {
      out[at++] = byte
      column += 1
    } else {
      out[at++] = EQUALS
      out[at++] = HEX[byte >> 4]!
      out[at++] = HEX[byte & 15]!
      column += 3
    }
  }
  return out.subarray(0, at)
}
