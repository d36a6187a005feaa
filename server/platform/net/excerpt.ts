/** Of an answer's body this much is kept, in bytes. */
export const EXCERPT_BYTES_MAX = 4 * 1024

/**
 * Text of the beginning of a body, for a log in the database: decoded as UTF-8, what does not decode and NUL (which
 * PostgreSQL refuses) replaced by U+FFFD, and cut so that it is never longer than `bytesMax` in UTF-8 (a replaced
 * byte takes three).
 */
export function excerptText(bytes: Buffer, bytesMax = EXCERPT_BYTES_MAX): string {
  const text = bytes.toString('utf8').replaceAll('\0', '\uFFFD')
  if (text.length * 3 <= bytesMax) return text
  const encoded = new Uint8Array(bytesMax)
  return text.slice(0, new TextEncoder().encodeInto(text, encoded).read)
}
