import { randomBytes } from 'node:crypto'

const RANDOM_BYTES = 18
const KEY = /^prf_[A-Za-z0-9_-]{24}$/

/** A new public key, `prf_` and 144 random bits. It stands in addresses, proves nothing, and is no secret. */
export function makeFormKey(): string {
  return `prf_${randomBytes(RANDOM_BYTES).toString('base64url')}`
}

/** Whether a text can be a key of a form at all. */
export function isFormKey(text: string): boolean {
  return KEY.test(text)
}
