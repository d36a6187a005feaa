import type { KnownKey } from '../sending-domains/known-keys.ts'

/** The result of one DKIM signature of a message. */
export type SignatureCheck = {
  domain: string
  selector: string
  /** `pass`, `fail`, `neutral` ... as RFC 8601 section 2.7.1 has them. */
  result: string
  /** Why, where it is not `pass`. */
  comment: string | null
  /** Whether the domain is that of the From address. */
  aligned: boolean
  /** Whether others can look the key up. */
  published: boolean
}

/** Of a header, and of the domains in it whose keys are asked for: anybody may write a mail. */
const HEAD_BYTES_MAX = 256 * 1024
const DOMAINS_MAX = 20

/** RFC 6376 section 3.5; only to learn whose keys are needed. */
const SIGNING_DOMAIN = /;\s*d\s*=\s*([^\s;]+)/i

/** The domains that a message's signatures name, in the order of its header. */
export function signingDomains(raw: Buffer): string[] {
  const start = raw.subarray(0, HEAD_BYTES_MAX)
  const end = start.indexOf('\r\n\r\n')
  const head = start.toString('latin1', 0, end === -1 ? start.length : end).replace(/\r\n[ \t]+/g, ' ')
  const signatures = head.split('\r\n').filter((line) => /^dkim-signature:/i.test(line))
  const domains = new Set(signatures.flatMap((line) => SIGNING_DOMAIN.exec(line)?.[1]?.toLowerCase() ?? []))
  return [...domains].slice(0, DOMAINS_MAX)
}

/**
 * Checks a message's DKIM signatures as a receiver would, against the keys that a workspace has instead of those that the
 * world can look up: a signature may be right long before its key is published.
 */
export async function checkSignatures(raw: Buffer, keys: readonly KnownKey[]): Promise<SignatureCheck[]> {
  // Loaded with the first message that is looked at.
  const { dkimVerify } = await import('mailauth')
  const { results } = await dkimVerify(raw, {
    async resolver(name, type) {
      const key = type === 'TXT' ? keys.find(({ host }) => host === name.toLowerCase()) : undefined
      if (key === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return [[key.value]]
    },
  })
  return results
    .filter(({ signingDomain }) => Boolean(signingDomain))
    .map(({ signingDomain, selector = '', status }) => ({
      domain: signingDomain,
      selector,
      result: status.result,
      comment: status.result === 'pass' ? null : status.comment || null,
      aligned: Boolean(status.aligned),
      published: keys.some(({ host, verified }) => verified && host === `${selector}._domainkey.${signingDomain}`),
    }))
}
