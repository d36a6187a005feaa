/** Names written between quotation marks as they are; the rest goes by RFC 2231. */
const PLAIN = /^[ !#$&'()*+,\-./\w:;<>?@^`{|}~[\]]{1,60}$/
const EXTENDED_CHARS = 60
const PLAIN_CHARS_MAX = 60
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
  const fallback = `filename="${plainly(fileName)}";`
  if (sections.length === 1) return [fallback, `filename*=${section}`]
  return [fallback, ...sections.map((part, n) => `filename*${n}*=${part}${n < sections.length - 1 ? ';' : ''}`)]
}

/** For programs that know RFC 2231 not at all: ASCII, not too long, with its ending, by which a file is opened. */
function plainly(fileName: string): string {
  const letters = fileName.normalize('NFKD').replace(/\p{M}/gu, '')
  const plain = letters.replace(/[^\w .()-]/gu, '_').replace(/^[ .]/, '_')
  const ending = /\.\w{1,8}$/.exec(plain)?.[0] ?? ''
  return `${plain.slice(0, plain.length - ending.length).slice(0, PLAIN_CHARS_MAX - ending.length)}${ending}`
}

function percentEncoded(byte: number): string {
  const char = String.fromCharCode(byte)
  return byte < 0x80 && ATTRIBUTE_CHARACTER.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
