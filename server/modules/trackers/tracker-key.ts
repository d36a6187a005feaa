import { hasChecksum, randomText, withChecksum } from '../../platform/crypto/base62.ts'

const RANDOM_CHARS = 20
const KEY = /^prc_[0-9A-Za-z]{26}$/

/** How long the key before a rotation stays good: pages that are cached name it. */
export const KEY_OVERLAP_DAYS = 7

/** A new public key, `prc_` and 26 characters: 119 random bits and a checksum. It proves nothing, and is no secret. */
export function makeTrackerKey(): string {
  return withChecksum(`prc_${randomText(RANDOM_CHARS)}`)
}

/** Whether a text can be a key of a tracker at all. */
export function isTrackerKey(text: string): boolean {
  return KEY.test(text) && hasChecksum(text)
}
