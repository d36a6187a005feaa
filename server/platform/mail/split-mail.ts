/** A field of a mail's head as it came: its bytes as Latin-1, folds and final CRLF included. */
export type RawField = { name: string; text: string }

/** A mail taken apart without changing a byte: its fields, and everything behind the empty line. */
export type SplitMail = { fields: readonly RawField[]; body: Buffer }

/** RFC 5321 section 4.5.3.1.6, without its CRLF. A longer line is broken by servers on the way, and the signature with it. */
export const LINE_BYTES_MAX = 998
const HEAD_BYTES_MAX = 256 * 1024
const FIELDS_MAX = 1_000

const OTHER_LINE_END = 'Its lines have to end with CR LF, and neither may stand by itself.'

const CR = 13
const LF = 10
const FIELD = /^([!-9;-~]{1,100})[ \t]*:/
const FOLDED = /^[ \t]/

/**
 * Takes apart what a program hands over to be sent on as it is. Strict on purpose: what one server reads as the end of a
 * line and another does not is how a second mail is smuggled in behind the first. The fault is a sentence for its sender.
 */
export function splitMail(raw: Buffer): SplitMail | { fault: string } {
  const fault = faultOfLines(raw)
  if (fault !== undefined) return { fault }
  const end = endOfHead(raw)
  if (end > HEAD_BYTES_MAX) return { fault: `The header has more than ${HEAD_BYTES_MAX / 1024} KiB.` }
  const fields: { name: string; text: string }[] = []
  for (const line of raw.toString('latin1', 0, end).split('\r\n').slice(0, -1)) {
    const last = fields.at(-1)
    if (FOLDED.test(line) && last !== undefined) {
      last.text += `${line}\r\n`
      continue
    }
    const name = FIELD.exec(line)?.[1]?.toLowerCase()
    if (name === undefined)
      return { fault: 'The header has a line that is no field: the body begins after an empty line.' }
    if (fields.length === FIELDS_MAX) return { fault: `The header has more than ${FIELDS_MAX} fields.` }
    fields.push({ name, text: `${line}\r\n` })
  }
  return { fields, body: raw.subarray(Math.min(raw.length, end + 2)) }
}

/** Where the header's last line ends; the empty line, if there is one, begins there. */
function endOfHead(raw: Buffer): number {
  if (raw[0] === CR) return 0
  const empty = raw.indexOf('\r\n\r\n')
  return empty === -1 ? raw.length : empty + 2
}

function faultOfLines(raw: Buffer): string | undefined {
  if (raw.includes(0)) return 'It has NUL bytes.'
  // Byte by byte: ten megabytes of empty lines took 300 ms line by line, and take 20.
  let begin = 0
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]
    if (byte !== CR && byte !== LF) continue
    if (byte === LF || raw[at + 1] !== LF) return OTHER_LINE_END
    if (at - begin > LINE_BYTES_MAX) {
      return `It has a line over ${LINE_BYTES_MAX} bytes: encode it as quoted-printable or base64.`
    }
    at++
    begin = at + 1
  }
  return begin === raw.length ? undefined : OTHER_LINE_END
}

/** The value of a field on one line, as the text it is written in: UTF-8, or Latin-1 where it is none. */
export function fieldValue({ text }: RawField): string {
  const bytes = Buffer.from(text.slice(text.indexOf(':') + 1), 'latin1')
  const utf8 = bytes.toString('utf8')
  const read = utf8.includes('\uFFFD') ? bytes.toString('latin1') : utf8
  return read.replaceAll('\r\n', '').trim()
}
