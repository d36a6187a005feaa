import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SecretKeys } from './secret-box.ts'

const KEY_BYTES = 32

/** The judgement of a text by its code: that it is its own, that it is not, or that its key is no longer among ours. */
export type MacJudgement = 'right' | 'wrong' | 'unknown_key'

/**
 * A code that only who has the instance's keys can make (HMAC-SHA-256 under a key derived for `purpose`, RFC 5869):
 * `keyId.base64url`.
 */
export function macOf(text: string, keys: SecretKeys, purpose: string): string {
  return codeOf(text, { id: keys.current, key: keys.keys.get(keys.current)! }, purpose)
}

export function judgeMac(mac: string, text: string, keys: SecretKeys & { purpose: string }): MacJudgement {
  const [id = ''] = mac.split('.', 1)
  const key = keys.keys.get(id)
  if (key === undefined) return 'unknown_key'
  const [given, right] = [Buffer.from(mac), Buffer.from(codeOf(text, { id, key }, keys.purpose))]
  return given.length === right.length && timingSafeEqual(given, right) ? 'right' : 'wrong'
}

function codeOf(text: string, { id, key }: { id: string; key: Buffer }, purpose: string): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))
  return `${id}.${createHmac('sha256', derived).update(text).digest('base64url')}`
}
