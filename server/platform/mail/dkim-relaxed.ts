const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

/** The relaxed forms of DKIM: what of a message is signed, so that white space may change on the way (RFC 6376 3.4). */

/** The fields of a head, in order, each in its relaxed form with its CRLF. */
export function relaxedFields(head: string): { name: string; canonical: string }[] {
  return head
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trimEnd().toLowerCase()
      const value = line.slice(colon + 1).replace(/[ \t]+/g, ' ')
      return { name, canonical: `${name}:${value.replace(/^ | $/g, '')}\r\n` }
    })
}

/** Whether text is not in relaxed form already, as it nearly always is. */
export function isUnrelaxed(text: string): boolean {
  return /[ \t]{2}|\t| \r/.test(text)
}

/**
 * Puts a body into its relaxed form, in its place: each run of white space is one space, and none stands before the end of a
 * line. Byte by byte: ten megabytes of white space took 760 ms as text, and take 50.
 */
export function relaxBody(body: Buffer): Buffer {
  let to = 0
  let isSpace = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!
    if (byte === SPACE || byte === TAB) {
      isSpace = true
      continue
    }
    if (isSpace && !(byte === CR && body[at + 1] === LF)) body[to++] = SPACE
    isSpace = false
    body[to++] = byte
  }
  if (isSpace) body[to++] = SPACE
  return body.subarray(0, to)
}

/**
 * The hashed part of a body that is in relaxed form already: all but empty lines at its end. `body` ends in CRLF.
 */
export function withoutEmptyEnd(body: Buffer): Buffer {
  let end = body.length
  while (end >= 4 && body[end - 3] === LF && body[end - 1] === LF) end -= 2
  return end === 2 ? body.subarray(0, 0) : body.subarray(0, end)
}
