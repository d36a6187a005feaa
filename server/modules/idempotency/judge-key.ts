import type { KeyRow } from './queries.ts'

/** The verdict on a request whose key was used before. */
export type Verdict =
  /** It counts as never used. */
  | 'expired'
  /** The request is another one. */
  | 'reused'
  /** The recorded answer is the answer. */
  | 'answered'
  /** The first request is still being worked on. */
  | 'inFlight'
  /** The first request took effect, and what it was answered is not known. */
  | 'lost'
  /** The first request was given up before it took effect: it is carried out now. */
  | 'free'

export function judgeKey(key: KeyRow, fingerprint: Buffer): Verdict {
  if (key.isExpired) return 'expired'
  if (!key.fingerprint.equals(fingerprint)) return 'reused'
  if (key.status !== null) return key.answer === null ? 'lost' : 'answered'
  if (key.leaseSeconds > 0) return 'inFlight'
  return key.tookEffect ? 'lost' : 'free'
}
