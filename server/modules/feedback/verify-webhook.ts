import { createHmac, timingSafeEqual } from 'node:crypto'

/** As they came; each must be there once. */
export type SignatureHeaders = { id: unknown; timestamp: unknown; signature: unknown }

const TOLERANCE_SECONDS = 300
/** No full stop, which separates what is signed. */
const ID = /^[^\s.]{1,200}$/
const PREFIX = 'whsec_'
const SIGNATURES_MAX = 20

/**
 * Whether a request is signed with one of the secrets, within five minutes of now (Standard Webhooks 1.0.0, `v1`); the id
 * of one that is, null otherwise.
 */
export function verifiedId(
  body: Buffer,
  { id, timestamp, signature }: SignatureHeaders,
  { secrets, nowMs = Date.now() }: { secrets: readonly string[]; nowMs?: number },
): string | null {
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return null
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return null
  const right = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest(),
  )
  const given = signature
    .split(' ', SIGNATURES_MAX)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice('v1,'.length), 'base64')] : []))
  const isRight = given.some((one) => right.some((mac) => mac.length === one.length && timingSafeEqual(mac, one)))
  return isRight ? id : null
}
