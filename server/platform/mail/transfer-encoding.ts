import type { Chunk } from './chunks.ts'
import { type MailText, type Piece, textOfPiece, wholeText } from './mail-text.ts'
import { endsLine, quotedPrintable, SOFT_BREAK } from './quoted-printable.ts'

/** How the content of a part goes through lines of limited length (RFC 2045 section 6). */
export type Encoded = { encoding: '7bit' | 'quoted-printable' | 'base64'; body: readonly Chunk[] }

/** RFC 5322 section 2.1.1, without CRLF. */
const LINE_BYTES_MAX = 998
/** RFC 2045 section 6.8. */
const BASE64_LINE_CHARS = 76
/** Our boundaries begin with it; it cannot occur in quoted-printable, nor in base64. */
export const BOUNDARY_START = '=_'

/**
 * Text in the shortest encoding that survives: as it is where it is ASCII in lines that may be, base64 where most of it is
 * not ASCII, else quoted-printable. Every kind of line break becomes CRLF. Text in pieces is never sent as it is, because
 * their encoded form is there already.
 */
export function encodeText(given: MailText): Encoded {
  const pieces = typeof given === 'string' ? [given] : given
  const [utf8Bytes, beyondAscii] = measure(pieces)
  if (typeof given === 'string' && beyondAscii === 0 && isSevenBit(given)) {
    return { encoding: '7bit', body: [crlf(given)] }
  }
  // A letter of two bytes is one of `beyondAscii` and takes four characters more; of three bytes, two and six.
  if (3 * beyondAscii > utf8Bytes / 3) return encodeBytes(Buffer.from(crlf(wholeText(given))))
  return { encoding: 'quoted-printable', body: quotedPieces(pieces) }
}

function measure(pieces: readonly Piece[]): [utf8Bytes: number, beyondAscii: number] {
  let utf8Bytes = 0
  let chars = 0
  for (const piece of pieces) {
    utf8Bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.utf8Bytes
    chars += textOfPiece(piece).length
  }
  return [utf8Bytes, utf8Bytes - chars]
}

/** Each piece begins a line, so that its encoded form does not depend on the one before. */
function quotedPieces(pieces: readonly Piece[]): Chunk[] {
  const chunks: Chunk[] = []
  let before = ''
  let isInLine = false
  for (const piece of pieces) {
    const text = textOfPiece(piece)
    // The other half of a line break.
    const encoded =
      before.endsWith('\r') && text.startsWith('\n') ? quotedPrintable(text.slice(1)) : encodedPiece(piece)
    before = text || before
    if (encoded.length === 0) continue
    if (isInLine) chunks.push(SOFT_BREAK)
    chunks.push(encoded)
    isInLine = !endsLine(encoded)
  }
  return chunks
}

function encodedPiece(piece: Piece): Buffer {
  return typeof piece === 'string' ? quotedPrintable(piece) : piece.quotedPrintable
}

function crlf(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return lines.replaceAll('\n', '\r\n')
}

/** Whether ASCII text may stand as it is: no control characters, no long line, nothing that mail servers alter. */
function isSevenBit(text: string): boolean {
  if (/[^\t\n\r -~]|[ \t]$/.test(text) || text.includes(`--${BOUNDARY_START}`)) return false
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
  const lines = Math.ceil(text.length / BASE64_LINE_CHARS)
  const body = Buffer.allocUnsafe(text.length + 2 * Math.max(lines - 1, 0))
  let at = 0
  for (let start = 0; start < text.length; start += BASE64_LINE_CHARS) {
    if (start > 0) at += body.write('\r\n', at, 'latin1')
    at += body.write(text.slice(start, start + BASE64_LINE_CHARS), at, 'latin1')
  }
  return { encoding: 'base64', body: [body] }
}
