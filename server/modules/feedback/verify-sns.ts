import { type KeyObject, verify } from 'node:crypto'
import { MINUTE_MS } from '../../platform/durations.ts'
import { isCertificateUrl, type SnsMessage, signedText, topicRegion } from './sns-message.ts'

/** Why a message is not believed; null: it is. */
export type SnsFault = 'topic' | 'stale' | 'signature_version' | 'certificate_url' | 'certificate' | 'signature'

export type SnsVerifier = {
  /** The public key of a certificate that SNS signs with; undefined when it cannot be had or is none of theirs. */
  certificateKey(url: string): Promise<KeyObject | undefined>
  now?: () => number
}

/**
 * SNS tries for an hour at most by default. An older one is somebody's copy; a younger one is recognised by its
 * MessageId.
 */
export const MESSAGE_AGE_MS_MAX = 70 * MINUTE_MS
const CLOCK_SKEW_MS_MAX = 5 * MINUTE_MS
/** By `1` SNS signs with SHA-1; a topic is set to `2` (SHA-256) by its attribute SignatureVersion. */
const SIGNATURE_VERSION = '2'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/

/**
 * Whether a message comes from Amazon SNS, from a topic that the workspace believes, now. Cheapest first: only for a
 * topic of the workspace's own is a certificate fetched.
 */
export async function verifySns(
  { certificateKey, now = Date.now }: SnsVerifier,
  message: SnsMessage,
  topics: readonly string[],
): Promise<SnsFault | null> {
  const place = topicRegion(message.TopicArn)
  if (place === undefined || !topics.includes(message.TopicArn)) return 'topic'
  const age = TIMESTAMP.test(message.Timestamp) ? now() - Date.parse(message.Timestamp) : Number.NaN
  if (!(age <= MESSAGE_AGE_MS_MAX && age >= -CLOCK_SKEW_MS_MAX)) return 'stale'
  if (message.SignatureVersion !== SIGNATURE_VERSION) return 'signature_version'
  if (!isCertificateUrl(message.SigningCertURL, place.host)) return 'certificate_url'
  const key = await certificateKey(message.SigningCertURL)
  if (key === undefined) return 'certificate'
  const signature = Buffer.from(message.Signature, 'base64')
  return verify('RSA-SHA256', Buffer.from(signedText(message)), key, signature) ? null : 'signature'
}
