const LF = 0x0a

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

/** Text that begins and ends with no white space of a longer line. Nearly always it is in relaxed form already. */
export function relaxedText(text: string): string {
  if (!/[ \t]{2}|\t| \r/.test(text)) return text
  return text.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
}

/**
 * The hashed part of a body that is in relaxed form already: all but empty lines at its end. `body` ends in CRLF.
 */
export function withoutEmptyEnd(body: Buffer): Buffer {
  let end = body.length
  while (end >= 4 && body[end - 3] === LF && body[end - 1] === LF) end -= 2
  return end === 2 ? body.subarray(0, 0) : body.subarray(0, end)
}
