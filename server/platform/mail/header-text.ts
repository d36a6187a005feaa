/**
 * Text of people in header fields: RFC 5322 (folding), RFC 2047 (encoded words). A field is made of tokens: a line is
 * broken only between two of them, so that unfolding gives back exactly the text.
 */

/** RFC 5322 section 2.1.1 asks for 78, RFC 2047 section 2 for 76 where there are encoded words. */
const LINE_CHARS = 76
/** Of one token: with the longest field name it stays under the 998 bytes a line may have (RFC 5322 section 2.1.1). */
export const TOKEN_CHARS_MAX = 900
/** Of an encoded word; the names of the usual fields fit before it. */
const WORD_PAYLOAD_CHARS = 48
/** A quoted name or an atom that is longer is written in encoded words, which can be folded. */
const PHRASE_TOKEN_CHARS = 60

const PRINTABLE = /^(?! )[ -~]*(?<! )$/
const ATOMS = /^[\w!#$%&'*+\-/=?^`{|}~]+(?: [\w!#$%&'*+\-/=?^`{|}~]+)*$/
/** Characters that may stand for themselves in an encoded word of a phrase (RFC 2047 section 5, rule 3). */
const Q_LITERAL = /^[A-Za-z0-9!*+/-]$/

/** Text on one line: what could end the line, or is invisible otherwise, becomes a space. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** One header field with its CRLF, broken between tokens where a line gets too long. */
export function headerField(name: string, tokens: readonly string[]): string {
  let done = ''
  let line = `${name}:`
  for (const token of tokens) {
    const fitsAlone = 1 + token.length <= LINE_CHARS
    const isBare = done === '' && line.length === name.length + 1
    if (line.length + 1 + token.length > LINE_CHARS && (fitsAlone || !isBare)) {
      done += `${line}\r\n`
      line = ''
    }
    line += ` ${token}`
  }
  return `${done}${line}\r\n`
}

/** The tokens of ASCII text that is written as it is; undefined when it cannot be. */
export function literalTokens(text: string): string[] | undefined {
  if (!PRINTABLE.test(text)) return undefined
  const tokens = text.split(/ (?=[!-~])/)
  return tokens.every(({ length }) => length <= TOKEN_CHARS_MAX) ? tokens : undefined
}

/** The tokens of an unstructured field, such as Subject. Text that looks like an encoded word is encoded too. */
export function textTokens(text: string): string[] {
  return (text.includes('=?') ? undefined : literalTokens(text)) ?? encodedWords(text)
}

/** The tokens of a display name: atoms, a quoted string, or encoded words. */
export function phraseTokens(name: string): string[] {
  if (!name.includes('=?')) {
    if (ATOMS.test(name)) {
      const atoms = name.split(' ')
      if (atoms.every(({ length }) => length <= PHRASE_TOKEN_CHARS)) return atoms
    }
    if (PRINTABLE.test(name) && name.length <= PHRASE_TOKEN_CHARS) return [`"${name.replace(/["\\]/g, '\\$&')}"`]
  }
  return encodedWords(name)
}

/** The whole text in encoded words, in whichever of the two encodings is shorter; no character is split. */
function encodedWords(text: string): string[] {
  const bytes = Buffer.byteLength(text)
  let literals = 0
  for (const char of text) if (char === ' ' || Q_LITERAL.test(char)) literals += 1
  const isQ = literals + 3 * (bytes - literals) <= 4 * Math.ceil(bytes / 3)
  const measure = isQ ? (char: string) => qEncoded(char).length : (char: string) => Buffer.byteLength(char)
  const room = isQ ? WORD_PAYLOAD_CHARS : (WORD_PAYLOAD_CHARS / 4) * 3
  const words: string[] = []
  let chunk = ''
  let size = 0
  const end = () =>
    words.push(isQ ? `=?UTF-8?Q?${qText(chunk)}?=` : `=?UTF-8?B?${Buffer.from(chunk).toString('base64')}?=`)
  for (const char of text) {
    const more = measure(char)
    if (size + more > room) {
      end()
      chunk = ''
      size = 0
    }
    chunk += char
    size += more
  }
  if (chunk !== '') end()
  return words
}

function qText(text: string): string {
  return Array.from(text, qEncoded).join('')
}

function qEncoded(char: string): string {
  if (char === ' ') return '_'
  if (Q_LITERAL.test(char)) return char
  return Buffer.from(char).toString('hex').toUpperCase().replace(/../g, '=$&')
}
