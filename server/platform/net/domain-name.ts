import net from 'node:net'
import { domainToASCII } from 'node:url'

/** RFC 1035 section 2.3.4, as text without the final dot. */
export const NAME_CHARS_MAX = 253
export const LABEL_CHARS_MAX = 63

/** Characters at which a URL parser, which the conversion to ASCII goes through, ends a host, or which it drops or decodes. */
const URL_SYNTAX = /[\s/?#\\%[\]:@]/
/** RFC 1123 section 2.1 */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const ASCII_ONLY = /^\p{ASCII}*$/u

/** A host's label as a pattern: RFC 1123 section 2.1, and underscores, which names of one's own network and mail hosts have. */
export const HOST_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const HOST_NAME = new RegExp(`^(?=.{1,${NAME_CHARS_MAX}}$)${HOST_LABEL}(?:\\.${HOST_LABEL})*$`, 'i')

/** A host's name in ASCII (IDNA), in lower case where it was not ASCII; undefined for what is none. An IPv4 address looks like one. */
export function asciiHostName(text: string): string | undefined {
  const name = ASCII_ONLY.test(text) || URL_SYNTAX.test(text) ? text : domainToASCII(text)
  return HOST_NAME.test(name) ? name : undefined
}

/** A host's name in lower-case ASCII, or an address as it is written canonically; undefined when it is neither. */
export function normaliseHost(text: string): string | undefined {
  const host = text.trim().toLowerCase()
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  if (net.isIPv6(bare)) return bare.includes('%') ? undefined : bare
  const name = URL_SYNTAX.test(host) ? '' : domainToASCII(host)
  return HOST_NAME.test(name) ? name : undefined
}

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

/** A fault of labels joined by dots, in lower-case ASCII and without underscores; undefined when there is none. */
export function labelsFault(name: string): string | undefined {
  if (name.length > NAME_CHARS_MAX) return `must have at most ${NAME_CHARS_MAX} characters`
  for (const label of name.split('.')) {
    if (label.length > LABEL_CHARS_MAX) return `must have labels of at most ${LABEL_CHARS_MAX} characters`
    if (!LABEL.test(label)) return 'must be labels of letters, digits and inner hyphens, joined by dots'
  }
  return undefined
}
