import { type Fields, firstOf, readFieldGroups } from '../field-groups.ts'
import { decodePart } from './decode-part.ts'

/** A part of a mail that holds no further parts, a returned message among them. */
export type Leaf = {
  /** In lower case; `text/plain` where none is given (RFC 2045 section 5.2). */
  type: string
  header: Fields
  isAttachment: boolean
  text: string
}

const NESTING_MAX = 8
const LEAVES_MAX = 100
/** More than any report's; a line beyond it is not looked for. */
const HEADER_CHARS_MAX = 128 * 1024
const TYPE = /^\s*([\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80})/

/** The header of a mail, and of each part. */
export function headerOf(mail: string): Fields {
  return readFieldGroups(splitHead(mail).head, 1)[0] ?? new Map()
}

/**
 * The parts of a mail in their order, in time that grows with its bytes: each level of nesting is looked through once, and
 * no returned message is entered. `mail` holds a byte a character (latin1). Never throws.
 */
export function leavesOf(mail: string): Leaf[] {
  const leaves: Leaf[] = []
  walk(mail, 0, leaves)
  return leaves
}

function walk(entity: string, depth: number, leaves: Leaf[]): void {
  if (leaves.length === LEAVES_MAX) return
  const { head, body } = splitHead(entity)
  const header = readFieldGroups(head, 1)[0] ?? new Map()
  const contentType = firstOf(header, 'content-type') ?? ''
  const type = TYPE.exec(contentType)?.[1]?.toLowerCase() ?? 'text/plain'
  const boundary = type.startsWith('multipart/') ? parameterOf(contentType, 'boundary') : null
  const pieces = boundary === null || depth === NESTING_MAX ? [] : piecesOf(body, boundary)
  for (const piece of pieces) walk(piece, depth + 1, leaves)
  if (pieces.length > 0) return
  const text = decodePart(body, firstOf(header, 'content-transfer-encoding'), parameterOf(contentType, 'charset'))
  const isAttachment = /^\s*attachment\b/i.test(firstOf(header, 'content-disposition') ?? '')
  leaves.push({ type: type.startsWith('multipart/') ? 'text/plain' : type, header, isAttachment, text })
}

/** A part may begin with its empty line: then it has no header (RFC 2046 section 5.1). */
function splitHead(entity: string): { head: string; body: string } {
  const empty = /^\r?\n/.exec(entity)
  if (empty) return { head: '', body: entity.slice(empty[0].length) }
  const end = /\n\r?\n/.exec(entity.slice(0, HEADER_CHARS_MAX))
  if (!end) return { head: entity.slice(0, HEADER_CHARS_MAX), body: '' }
  return { head: entity.slice(0, end.index + 1), body: entity.slice(end.index + end[0].length) }
}

const PARAMETERS = {
  boundary: /;\s*boundary\s{0,5}=\s{0,5}(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i,
  charset: /;\s*charset\s{0,5}=\s{0,5}(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i,
} as const

function parameterOf(contentType: string, name: keyof typeof PARAMETERS): string | null {
  const [, quoted, bare] = PARAMETERS[name].exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/** RFC 2046 section 5.1.1. A mail that was cut off ends its last part where it ends. */
function piecesOf(body: string, boundary: string): string[] {
  const pieces: string[] = []
  const mark = `--${boundary}`
  let begun = -1
  for (let at = 0; at !== -1 && pieces.length < LEAVES_MAX; at = nextLine(body, at, `\n${mark}`)) {
    if (!body.startsWith(mark, at)) continue
    const lineEnd = body.indexOf('\n', at)
    const rest = body
      .slice(at + mark.length, lineEnd === -1 ? undefined : Math.min(lineEnd, at + mark.length + 100))
      .trim()
    if (rest !== '' && rest !== '--') continue
    if (begun !== -1) pieces.push(body.slice(begun, at))
    begun = lineEnd === -1 || rest === '--' ? -1 : lineEnd + 1
  }
  if (begun !== -1) pieces.push(body.slice(begun))
  return pieces
}

function nextLine(body: string, from: number, mark: string): number {
  const found = body.indexOf(mark, from)
  return found === -1 ? -1 : found + 1
}
