import { hash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** The form of a token, for the schemas of those who take one. */
export const ONE_TIME_TOKEN_CHARS = 43

/** A secret that lets its holder do one thing once (256 random bits as base64url), and its stored form. */
export function makeOneTimeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: oneTimeTokenHash(token) }
}

/** SHA-256 without a salt: there is nothing to guess in 256 random bits. */
export function oneTimeTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
