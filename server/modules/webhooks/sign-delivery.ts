import { createHmac, type KeyObject } from 'node:crypto'

/** The signed content: the delivery's id, the attempt's time in Unix seconds, the exact bytes of the body. */
export type SignedContent = { webhookId: string; timestampSeconds: number; body: Buffer }

/**
 * Value of `webhook-signature`: one `v1` signature per key, separated by spaces, so that during a rotation a receiver
 * verifies with whichever secret it has. Standard Webhooks 1.0.0, "Signature scheme": HMAC-SHA256 over id.timestamp.body.
 */
export function signatureOf(content: SignedContent, keys: readonly KeyObject[]): string {
  const head = `${content.webhookId}.${content.timestampSeconds}.`
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(head).update(content.body).digest('base64')}`)
    .join(' ')
}

/** The event's name as a header value: what is not visible ASCII, and `%` itself, percent-encoded as UTF-8. */
export function eventHeader(name: string): string {
  return name.replace(/[^\x21-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character))
}
