import { createHash } from 'node:crypto'
import { SHARES } from './limits.ts'

/**
 * The part of people that a contact belongs to, of SHARES: the same for ever, and independent of its part under another
 * salt.
 */
export function shareOf(salt: string, contactId: string): number {
  const digest = createHash('sha256').update(`${salt}/${contactId}`).digest()
  return Number(digest.readBigUInt64BE(0) % BigInt(SHARES))
}
