/** The relaxed forms of DKIM: what of a message is signed, so that white space may change on the way (RFC 6376 3.4). */

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const IS_WHITE = Uint8Array.from({ length: 256 }, (_, byte) => ([TAB, LF, CR, SPACE].includes(byte) ? 1 : 0))

/** The fields of a head, in order, each in its relaxed form with its CRLF. */
export function relaxedFields(head: string): { name: string; canonical: string }[] {
  return head
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).replace(/[ \t]+/g, ' ')
      return { name, canonical: `${name}:${value.replace(/^ | $/g, '')}\r\n` }
    })
}

/** A body whose lines end in CRLF: runs of white space are one space, none at line ends, no empty lines at the end. */
export function relaxedBody(body: Uint8Array): Buffer {
  const buffer = Buffer.allocUnsafe(body.length + 2)
  const out: Uint8Array = buffer
  let at = 0
  let contentEnd = 0
  for (let n = 0; n < body.length; ) {
    const start = at
    while (n < body.length && IS_WHITE[body[n]!] === 0) out[at++] = body[n++]!
    if (at > start) contentEnd = at
    const spaceStart = n
    while (body[n] === SPACE || body[n] === TAB) n++
    if (n > spaceStart && body[n] !== CR) out[at++] = SPACE
    for (; body[n] === CR || body[n] === LF; n++) out[at++] = body[n]!
  }
  if (contentEnd === 0) return buffer.subarray(0, 0)
  out[contentEnd] = CR
  out[contentEnd + 1] = LF
  return buffer.subarray(0, contentEnd + 2)
}
