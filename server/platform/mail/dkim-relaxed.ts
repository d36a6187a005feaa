import { createScratch } from '../scratch.ts'

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

const scratch = createScratch()

/**
 * A body whose lines end in CRLF: runs of white space are one space, none at line ends, no empty lines at the end. The
 * result is good until the next call. Most white space is a single space already, so that searching a string for the rest
 * takes a third of the time of a loop over the bytes.
 */
export function relaxedBody(body: Buffer): Buffer {
  const relaxed = body.toString('latin1').replaceAll('\t', ' ').replace(/ {2,}/g, ' ').replaceAll(' \r\n', '\r\n')
  let end = relaxed.length
  while (end > 0 && ' \r\n'.includes(relaxed[end - 1]!)) end--
  if (end === 0) return Buffer.alloc(0)
  const buffer = scratch(end + 2)
  buffer.write(relaxed, 'latin1')
  buffer.write('\r\n', end, 'latin1')
  return buffer
}
