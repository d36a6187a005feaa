/** Names written between quotation marks as they are; the rest goes by RFC 2231. */
const PLAIN = /^[ !#$&'()*+,\-./\w:;<>?@^`{|}~[\]]{1,60}$/
const EXTENDED_CHARS = 60
/** RFC 2231 section 7, `attribute-char`. */
const ATTRIBUTE_CHARACTER = /^[\w!#$&+\-.^`{}|~]$/

/**
 * The parameter of Content-Disposition that names a file, as tokens of the field (RFC 2183, RFC 2231). Sections are cut
 * between characters only: many programs decode each by itself.
 */
export function fileNameTokens(fileName: string): string[] {
  if (PLAIN.test(fileName)) return [`filename="${fileName}"`]
  const encoded = Array.from(fileName.toWellFormed(), (character) =>
    Array.from(Buffer.from(character), percentEncoded).join(''),
  )
  const sections: string[] = []
  let section = "UTF-8''"
  for (const unit of encoded) {
    if (section.length + unit.length > EXTENDED_CHARS) {
      sections.push(section)
      section = ''
    }
    section += unit
  }
  sections.push(section)
  if (sections.length === 1) return [`filename*=${section}`]
  return sections.map((part, n) => `filename*${n}*=${part}${n < sections.length - 1 ? ';' : ''}`)
}

function percentEncoded(byte: number): string {
  const char = String.fromCharCode(byte)
  return byte < 0x80 && ATTRIBUTE_CHARACTER.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
