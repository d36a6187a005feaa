import querystring from 'node:querystring'
import { STARS } from './secret.ts'

/** Takes out of a text what must not be logged. Running it again changes nothing more. */
export type Scrub = (text: string) => string

/** Longer texts are cut, so that a line has an end and so has the time to scrub it. */
const TEXT_CHARS_MAX = 8_192

/** Shorter values would be found inside ordinary words. */
const KNOWN_SECRET_CHARS_MIN = 12

const SECRET_NAME =
  'pass(?:word|wd|phrase)|pwd|secret|token|credential|(?:api|private|encryption|access|signing)[ _-]?key'

/** Secrets that can be told by their shape, and what is left of them. */
const SHAPES: readonly [pattern: RegExp, replacement: string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, `[private key ${STARS}]`],
  [/(?<![A-Za-z0-9])(prt_|whsec_|whsk_)[A-Za-z0-9+/=_%-]{8,}/g, `$1${STARS}`],
  [/\b(bearer)\s+(?!tokens?\b)[^\s"',;]{6,}/gi, `$1 ${STARS}`],
  [/\b([Bb]asic)\s+(?=[a-z+/]*[A-Z0-9=])[A-Za-z0-9+/]{8,}={0,2}/g, `$1 ${STARS}`],
  // A password may hold a slash or a question mark in the address of a database, not in one of the web.
  [/\b((?:postgres(?:ql)?|smtps?|amqps?|rediss?|mysql|mongodb(?:\+srv)?):\/\/)[^\s"'<>]{0,512}@/gi, `$1${STARS}@`],
  [/(:\/\/)[^\s"'<>/?#@]*@/g, `$1${STARS}@`],
]

/** The characters between a name and its value: `name=`, `"name": `, `'name' => `, `['name', `, also in text quoted again. */
const SEPARATOR = String.raw`(?:\\*["']?\s*(?:=>|[:=])\s*|\\*["']\s*,\s*(?=\\*["']))`
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\\+(["'])(?:(?!(?<!\\)\\+\2)[\s\S])*`
/** A header's value has spaces, semicolons and quotes of its own: the rest of the line goes. */
const NAMED_HEADER = new RegExp(String.raw`((?:authorization|cookie)${SEPARATOR})(?!\s)[^\r\n]*`, 'gi')
const NAMED = new RegExp(String.raw`((?:${SECRET_NAME})[\w.-]{0,32}${SEPARATOR})(?:${QUOTED}|[^\s,;&"'}\])]+)`, 'gi')

const LOCAL_CHARACTER = String.raw`[^\s@"'<>()[\]{},:;=&?/\\|]`
const DOMAIN = String.raw`(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}[\p{L}\p{N}-]+|\[[^\]\s]{2,64}\]`
const EMAIL = new RegExp(
  String.raw`(?:(${LOCAL_CHARACTER})${LOCAL_CHARACTER}{0,63}|"[^"\r\n]{1,64}")(@|%40)(${DOMAIN})`,
  'gu',
)

/** Control characters of the second set, line separators and direction marks: a viewer may take them for more than text. */
const DECEPTIVE = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Most texts hold nothing that any of the patterns above begins with: they are done after one look. */
const TELLTALE = /[@%=:,"'\\]|prt_|wh(?:sec|sk)_|bearer\s|basic\s|-----BEGIN|[^\x20-\x7e]/i

/**
 * A function that stars out secrets in a text: those with a telling shape or name, and the `known` values themselves in whatever
 * spelling (as they are, URL-encoded, in base64, as JSON) they turn up.
 */
export function scrubber(known: readonly string[]): Scrub {
  const values = known.flatMap(valuesIn).filter((value) => value.length >= KNOWN_SECRET_CHARS_MIN)
  const spellings = values.flatMap(spellingsOf)
  const literal =
    spellings.length > 0 ? new RegExp([...new Set(spellings)].map(escapeRegExp).join('|'), 'g') : undefined
  return (text) => {
    // Scrubbed before the cut, with room behind it: half a secret would not be told by its shape.
    let clean = text.slice(0, 2 * TEXT_CHARS_MAX)
    if (literal) clean = clean.replace(literal, STARS)
    if (clean.length <= TEXT_CHARS_MAX && !TELLTALE.test(clean)) return clean
    for (const [pattern, replacement] of SHAPES) clean = clean.replace(pattern, replacement)
    clean = clean.replace(NAMED_HEADER, `$1${STARS}`).replace(NAMED, `$1${STARS}`).replace(DECEPTIVE, visibly)
    return clean.length > TEXT_CHARS_MAX ? `${clean.slice(0, TEXT_CHARS_MAX)}[cut]` : clean
  }
}

/** `alice@example.com` as `a***@example.com`. */
export function maskEmails(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text
  return text.replace(EMAIL, (_all, first: string = '', at: string, domain: string) => `${first}${STARS}${at}${domain}`)
}

/** A setting may hold several secrets: keys separated by commas, the password of an address. */
function valuesIn(known: string): string[] {
  const password = URL.canParse(known) ? new URL(known).password : ''
  return [known, ...known.split(','), password, querystring.unescape(password)]
}

function spellingsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64')
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64, base64.replaceAll('=', '')]
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function visibly(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
