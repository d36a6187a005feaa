import { domainToASCII } from 'node:url'

const ADDRESS_BYTES_MAX = 254
/** Dot-atoms of RFC 5322, with the letters that RFC 6531 adds; no quoted local parts, no comments, no lists. */
const LOCAL_PART = /^[^\s\p{Cc}@"(),:;<>[\]\\.]+(?:\.[^\s\p{Cc}@"(),:;<>[\]\\.]+)*$/u
const LOCAL_PART_BYTES_MAX = 64
const HOST = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i
/** What a URL parser, which the conversion to ASCII goes through, ends a host at, drops or decodes. */
const URL_SYNTAX = /[\s/?#\\%[\]:@]/
const ASCII_ONLY = /^\p{ASCII}*$/u

/**
 * A bare address as it stands in headers and goes over the wire: its domain in ASCII (IDNA), its local part as it is,
 * which takes SMTPUTF8 if it is not ASCII. Undefined for what is not exactly one address.
 */
export function wireAddress(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (!LOCAL_PART.test(local) || !local.isWellFormed()) return undefined
  if (Buffer.byteLength(local) > LOCAL_PART_BYTES_MAX) return undefined
  const given = address.slice(at + 1)
  const domain = ASCII_ONLY.test(given) || URL_SYNTAX.test(given) ? given : domainToASCII(given)
  if (!HOST.test(domain) || at + 1 + domain.length > ADDRESS_BYTES_MAX) return undefined
  return `${local}@${domain}`
}
