/** The relaxed forms of DKIM: what of a message is signed, so that white space may change on the way (RFC 6376 3.4). */

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

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
export function relaxedBody(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2)
  let at = 0
  let lineEnds = 0
  let isSpaced = false
  for (let n = 0; n < body.length; n++) {
    const byte = body[n]!
    if (byte === SPACE || byte === TAB) {
      isSpaced = true
    } else if (byte === CR && body[n + 1] === LF) {
      n++
      lineEnds++
      isSpaced = false
    } else {
      for (; lineEnds > 0; lineEnds--) {
        out[at++] = CR
        out[at++] = LF
      }
      if (isSpaced) {
        out[at++] = SPACE
        isSpaced = false
      }
      out[at++] = byte
    }
  }
  if (at > 0) {
    out[at++] = CR
    out[at++] = LF
  }
  return out.subarray(0, at)
}
