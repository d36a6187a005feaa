/** Texts of strangers are shown as far as this, in UTF-16 units. */
const TEXT_CHARS_MAX = 500
const KEY_CHARS_MAX = 60
const ENTRIES_MAX = 40
const DEPTH_MAX = 4

/** Invisible characters: controls, joiners, directions, tags, fillers. They hide text from people, and not from programs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * A text of strangers, or a value with such texts, made harmless to show to a program that obeys text: without invisible characters, with addresses
 * masked and links that nothing takes for links, cut to a length, a number of entries and a depth.
 */
export function untrusted(value: unknown, depth = DEPTH_MAX): unknown {
  if (typeof value === 'string') return untrustedText(value)
  if (typeof value !== 'object' || value === null) return value
  if (JSON.isRawJSON(value)) return value.rawJSON
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map((item) => untrusted(item, depth - 1))
  const entries = Object.entries(value).slice(0, ENTRIES_MAX)
  return Object.fromEntries(
    entries.map(([key, item]) => [untrustedText(key, KEY_CHARS_MAX), untrusted(item, depth - 1)]),
  )
}

export function untrustedObject(value: object): Record<string, unknown> {
  return untrusted(value) as Record<string, unknown>
}

export function untrustedText(text: string, charsMax = TEXT_CHARS_MAX): string {
  // Cut first, so that nothing costs more than what is shown; a character that was halved goes with the invisible ones.
  const shown = text
    .slice(0, charsMax)
    .replaceAll(/[\t\n\r]+/g, ' ')
    .replaceAll(INVISIBLE, '')
  const plain = maskReach(shown.replaceAll('://', '[:]//').replaceAll('](', '] ('))
  return text.length > charsMax ? `${plain}…` : plain
}

/** A value with addresses and telephone numbers masked wherever it has texts. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskReach(value)
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map(masked)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item)]))
}

/** `ada@example.com` as `a***@example.com`: enough to tell people apart, too little to write to them. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '***' : `${String.fromCodePoint(address.codePointAt(0)!)}***${address.slice(at)}`
}

/** The last two digits alone. */
export function maskPhone(phone: string): string {
  return `***${phone.slice(-2)}`
}

/** Numbers as one dials them from abroad; any others cannot be told from what else is counted. */
const NUMBER = /\+\d[\d ()./-]{5,20}\d/g

/** Ways to reach people, masked within a text. */
function maskReach(text: string): string {
  return maskAddresses(text.replaceAll(NUMBER, maskPhone))
}

/** Characters that stand beside an address and do not belong to it. */
const AROUND = ' <>"\'()[]{},;:|\\`'

function maskAddresses(text: string): string {
  let masked = ''
  let done = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > done && !AROUND.includes(text[start - 1]!)) start -= 1
    if (start === at) continue
    masked += `${text.slice(done, start)}${String.fromCodePoint(text.codePointAt(start)!)}***`
    done = at
  }
  return masked + text.slice(done)
}
