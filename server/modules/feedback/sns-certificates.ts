import { type KeyObject, X509Certificate } from 'node:crypto'
import { DAY_MS } from '../../platform/durations.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'

const FETCH_DEADLINE_MS = 5_000
/** SNS renews its certificates about once a year; their names are their hashes. */
const KEPT_MS = DAY_MS
const KEPT_MAX = 64
const RSA_BITS_MIN = 2_048
/** The subject that certificates of SNS are made out to. */
const SUBJECT = /(?:^|\n)CN=sns\.(?:[a-z0-9-]{1,40}\.)?amazonaws\.com(?:\.cn)?(?:\n|$)/

type Kept = { key: Promise<KeyObject | undefined>; untilMs: number }

/**
 * The keys of SNS's certificates, fetched once a day each over https from the host that the caller has checked; redirects
 * are not followed. A certificate counts within its own time only.
 */
export function createSnsCertificates(client: Pick<GuardedClient, 'send'>) {
  const kept = new Map<string, Kept>()
  return {
    certificateKey(url: string): Promise<KeyObject | undefined> {
      const known = kept.get(url)
      if (known && known.untilMs > Date.now()) return known.key
      const key = fetchKey(client, url)
      kept.set(url, { key, untilMs: Date.now() + KEPT_MS })
      if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!)
      // A certificate that could not be had is asked for again.
      const forget = () => void (kept.get(url)?.key === key && kept.delete(url))
      key.then((found) => found === undefined && forget(), forget)
      return key
    },
  }
}

async function fetchKey(client: Pick<GuardedClient, 'send'>, url: string): Promise<KeyObject | undefined> {
  const answer = await client.send({
    method: 'GET',
    url,
    headers: {},
    deadlineMs: FETCH_DEADLINE_MS,
    wholeAnswer: true,
  })
  return answer.outcome === 'answered' && answer.status === 200 ? keyOf(answer.bodyExcerpt) : undefined
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    const certificate = new X509Certificate(pem)
    const now = Date.now()
    const isValid = certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime()
    const { publicKey } = certificate
    const bits = publicKey.asymmetricKeyType === 'rsa' ? (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) : 0
    return isValid && bits >= RSA_BITS_MIN && SUBJECT.test(certificate.subject) ? publicKey : undefined
  } catch {
    return undefined
  }
}
