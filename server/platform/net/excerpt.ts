/** Of an answer's body this much is kept, in bytes. */
export const EXCERPT_BYTES_MAX = 4 * 1024

/**
 * Text of the beginning of a body, for a log in the database: decoded as UTF-8, what does not decode and NUL (which
 * PostgreSQL refuses) replaced by U+FFFD, and cut so that it is never longer than `EXCERPT_BYTES_MAX` in UTF-8 (a
 * replaced byte takes three).
 */
export function excerptText(bytes: Buffer): string {
  const text = bytes.toString('utf8').replaceAll('\0', '\uFFFD')
  if (text.length * 3 <= EXCERPT_BYTES_MAX) return text
  const encoded = new Uint8Array(EXCERPT_BYTES_MAX)
  return text.slice(0, new TextEncoder().encodeInto(text, encoded).read)
}
