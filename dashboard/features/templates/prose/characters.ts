/** Characters that are often written by name. One that is not here is kept as it is written, and shown so. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  larr: '←',
  rarr: '→',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
}
const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '\u00a0': '&nbsp;' }
const ENTITY = /^&(?:#(\d{1,5})|#x([\da-f]{1,4})|([a-z]{1,8}));/i

/** A character as it is written in a mail when nothing says otherwise. */
export const writtenCharacter = (char: string): string => WRITTEN[char] ?? char

/** The character that is written here by name or number, with its writing; none for a bare `&` or a name that is not known. */
export function entityAt(source: string, begin: number): { char: string; raw: string } | undefined {
  const [raw, decimal, hexadecimal, name = ''] = ENTITY.exec(source.slice(begin, begin + 10)) ?? []
  if (raw === undefined) return undefined
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  const char = Number.isNaN(code) ? NAMED[name] : isShown(code) ? String.fromCharCode(code) : undefined
  return char === undefined ? undefined : { char, raw }
}

/** One unit of UTF-16 that stands for itself, and no space that a line would swallow. */
const isShown = (code: number) => code > 0x20 && code <= 0xffff && (code < 0xd800 || code > 0xdfff)
