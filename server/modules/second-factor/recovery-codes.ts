import { hash, randomBytes } from 'node:crypto'

export const RECOVERY_CODES = 10
/** Sixteen of 32 letters: 80 random bits, so that a fast hash is enough. */
const CODE_CHARS = 16
const GROUP = /.{4}/g
/** Crockford's base 32: no I, L, O, U, and what is read wrong is put right. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const MISREAD: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' }

/** Codes for the day the authenticator is lost, `XXXX-XXXX-XXXX-XXXX`: each works once. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, makeCode)
}

/** The stored form. The person is part of it, so that equal codes of two people do not look alike. */
export function recoveryCodeHash(userId: string, code: string): Buffer {
  return hash('sha256', `${userId}:${normalise(code)}`, 'buffer')
}

function makeCode(): string {
  const letters = [...randomBytes(CODE_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]!).join('')
  return letters.match(GROUP)!.join('-')
}

function normalise(code: string): string {
  return code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/[ILO]/g, (letter) => MISREAD[letter]!)
}
