import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { SecretKeys } from './secret-box.ts'

const KEY_BYTES = 32

/**
 * Keys for one purpose, derived from each of the instance's keys (RFC 5869), the current one first. A code is made with
 * the first and checked with any of them, so that rotating the instance's keys breaks nothing that is already out.
 */
export function derivedKeys({ current, keys }: SecretKeys, purpose: string): readonly [KeyObject, ...KeyObject[]] {
  const derive = (key: Buffer) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)))
  const others = [...keys].filter(([id]) => id !== current).map(([, key]) => derive(key))
  return [derive(keys.get(current)!), ...others]
}
