const CR = 13
const LF = 10
const DOT = 46
const DOT_AT_LINE_START = Buffer.from('\r\n.')

/**
 * A message as DATA takes it (RFC 5321 section 4.5.2): a line that begins with a dot gets another one, the last line
 * ends, and a dot of its own ends it all. `content` must have CRLF lines. Nearly every message has no such line and is
 * not copied.
 */
export function dotStuff(content: Buffer): { content: Buffer; end: string } {
  const ended = content.at(-1) === LF && content.at(-2) === CR
  return { content: stuffed(content), end: ended || content.length === 0 ? '.\r\n' : '\r\n.\r\n' }
}

function stuffed(content: Buffer): Buffer {
  const parts: Buffer[] = content[0] === DOT ? [Buffer.from('.')] : []
  let from = 0
  let at = content.indexOf(DOT_AT_LINE_START)
  while (at !== -1) {
    const behindDot = at + DOT_AT_LINE_START.length
    parts.push(content.subarray(from, behindDot))
    from = behindDot - 1
    at = content.indexOf(DOT_AT_LINE_START, from)
  }
  return parts.length === 0 ? content : Buffer.concat([...parts, content.subarray(from)])
}
