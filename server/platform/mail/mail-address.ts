import { INVISIBLE } from '../control-characters.ts'
import { asciiHostName, HOST_LABEL } from '../net/domain-name.ts'

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, its angle brackets among them. */
export const EMAIL_BYTES_MAX = 254
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_BYTES_MAX = 64
/** Dot-atoms of RFC 5322, with the letters that RFC 6531 adds; no quoted local parts, no comments, no lists. */
const LOCAL_PART = /^[^\s\p{Cc}@"(),:;<>[\]\\.]+(?:\.[^\s\p{Cc}@"(),:;<>[\]\\.]+)*$/u
const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
/** Nearly every address there is, known by one look. */
const PLAIN = new RegExp(
  `^(?=[^@]{1,${LOCAL_BYTES_MAX}}@)(?=.{3,${EMAIL_BYTES_MAX}}$)${ATOM}(?:\\.${ATOM})*@${HOST_LABEL}(?:\\.${HOST_LABEL})*$`,
  'i',
)

/**
 * A bare address as it stands in headers and goes over the wire: its domain in ASCII (IDNA), its local part as it is,
 * which takes SMTPUTF8 if it is not ASCII. Undefined for what is not exactly one address: no display name, no list, no
 * quoted local part, no address in brackets for a domain.
 */
export function wireAddress(address: string): string | undefined {
  if (PLAIN.test(address)) return address
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (!LOCAL_PART.test(local) || !local.isWellFormed()) return undefined
  if (Buffer.byteLength(local) > LOCAL_BYTES_MAX) return undefined
  const domain = asciiHostName(address.slice(at + 1))
  if (domain === undefined || Buffer.byteLength(local) + 1 + domain.length > EMAIL_BYTES_MAX) return undefined
  return `${local}@${domain}`
}

/**
 * An address as it is stored and compared (decisions 2): one that goes over the wire, trimmed, in lower case, its letters
 * composed (NFC, RFC 6532 section 3.1), and without the final dot of a domain's full name. Characters that nobody sees would make
 * two addresses of one, as an é of two characters would: who said no by one way of writing would be mailed by the other.
 */
export function normaliseEmail(text: string): string | undefined {
  const address = text.trim().toLowerCase().normalize('NFC').replace(/\.$/, '')
  return INVISIBLE.test(address) ? undefined : wireAddress(address)
}

/** The domain of an address that is one. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
