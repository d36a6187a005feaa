/** Text of a part as its bytes and its header have it: transfer encoding (RFC 2045 section 6), then characters. */

const ESCAPED_BYTE = /=([0-9a-f]{2})/gi
const SOFT_BREAK = /=[ \t]*\r?\n/g
/** ISO 2022 turns to Japanese by it (RFC 1468): some systems name no character set, or another one. */
const JAPANESE_ESCAPE = '\u001b$'

/** `body` holds a byte a character (latin1). Never throws: what cannot be decoded is read as it stands. */
export function decodePart(body: string, encoding: string | null, charset: string | null): string {
  return textOfBytes(bytesOf(body, encoding?.trim().toLowerCase()), charset)
}

function bytesOf(body: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const plain = body
    .replace(SOFT_BREAK, '')
    .replace(ESCAPED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(plain, 'latin1')
}

function textOfBytes(bytes: Buffer, charset: string | null): string {
  if (bytes.includes(JAPANESE_ESCAPE, 0, 'latin1')) return decoded(bytes, 'iso-2022-jp') ?? bytes.toString('latin1')
  const named = charset === null ? undefined : decoded(bytes, charset)
  return named ?? decoded(bytes, 'utf-8') ?? bytes.toString('latin1')
}

/** Undefined where there is no such character set, or the bytes are none of it. */
function decoded(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
