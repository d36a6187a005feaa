import { domainToASCII } from 'node:url'

/** RFC 1035 section 2.3.4, as text without the final dot. */
export const NAME_CHARS_MAX = 253
const LABEL_CHARS_MAX = 63
const DKIM_LABEL = '_domainkey'

/** Characters at which a URL parser, which the conversion to ASCII goes through, ends a host, or which it drops or decodes. */
const URL_SYNTAX = /[\s/?#\\%[\]:@]/
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** A name as it is stored, or what is wrong with it in words that follow the field's name. */
export type NameJudgement = { name: string } | { fault: string }

/** A domain that mail can come from: lower case, in ASCII (IDNA), the final dot cut, at least two labels, no address. */
export function judgeDomain(text: string): NameJudgement {
  const given = text.trim().toLowerCase().replace(/\.$/, '')
  if (given.includes('@')) return { fault: 'must be a domain, not an email address' }
  if (URL_SYNTAX.test(given)) return { fault: 'must be a domain name alone, such as example.com' }
  const name = domainToASCII(given)
  if (name === '') return { fault: 'is not a domain name' }
  const fault = labelsFault(name)
  if (fault !== undefined) return { fault }
  const labels = name.split('.')
  if (labels.length < 2) return { fault: 'must have at least one dot' }
  // The URL standard reads a host whose last label is a number as an IPv4 address.
  if (!/[a-z]/.test(labels.at(-1) ?? '')) return { fault: 'must be a domain, not an address' }
  return { name }
}

/** A DKIM selector: DNS labels joined by dots (RFC 6376 section 3.1), short enough for its record's full name. */
export function judgeSelector(text: string, domain: string): NameJudgement {
  const name = text.trim().toLowerCase()
  const fault = labelsFault(name)
  if (fault !== undefined) return { fault }
  if (dkimHost(name, domain).length > NAME_CHARS_MAX) {
    return { fault: `is too long: the record's name ${DKIM_LABEL}.${domain} leaves less room` }
  }
  return { name }
}

function labelsFault(name: string): string | undefined {
  if (name.length > NAME_CHARS_MAX) return `must have at most ${NAME_CHARS_MAX} characters`
  for (const label of name.split('.')) {
    if (label.length > LABEL_CHARS_MAX) return `must have labels of at most ${LABEL_CHARS_MAX} characters`
    if (!LABEL.test(label)) return 'must be labels of letters, digits and inner hyphens, joined by dots'
  }
  return undefined
}

export function dkimHost(selector: string, domain: string): string {
  return `${selector}.${DKIM_LABEL}.${domain}`
}

/** The selector after one: its number counted up, `postroom` → `postroom2`, `s9` → `s10`; none of `taken`. */
export function nextSelector(selector: string, taken: ReadonlySet<string>): string {
  const [, base = selector, digits = '1'] = /^(.*?)(\d{1,9})?$/.exec(selector) ?? []
  // Shortened by as much as the number may grow, so that the label stays within its limit.
  const room = LABEL_CHARS_MAX - 10
  const stem = base.length > room && !base.includes('.') ? base.slice(0, room) : base
  for (let number = Number(digits) + 1; ; number += 1) {
    const next = `${stem}${number}`
    if (!taken.has(next)) return next
  }
}
