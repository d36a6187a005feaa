import { hash } from 'node:crypto'
import { hasChecksum, randomText, withChecksum } from '../../platform/crypto/base62.ts'

const PREFIX = 'prt_'
const PUBLIC_CHARS = 12
const SECRET_CHARS = 40
const TOKEN = /^prt_([0-9A-Za-z]{12})_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/

/** Tokens the operator presets may be any text of this length; ours are longer. */
export const FOREIGN_TOKEN_CHARS_MIN = 32
const TOKEN_CHARS_MAX = 512

/**
 * Makes a token `prt_<12>_<46>`: a public part that may be shown, 40 random characters (238 bits), and a checksum that
 * lets scanners and ourselves tell a token from noise without asking anybody.
 */
export function makeToken(): { token: string; publicId: string } {
  const publicId = randomText(PUBLIC_CHARS)
  return { token: withChecksum(`${PREFIX}${publicId}_${randomText(SECRET_CHARS)}`), publicId }
}

/** The public part of one of our tokens; undefined for a text of another form. */
export function publicIdOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1]
}

/** Whether the text can be a token at all: ours with a right checksum, or a preset one of enough length. */
export function isPlausibleToken(text: string): boolean {
  if (text.startsWith(PREFIX) && TOKEN.test(text)) return hasChecksum(text)
  return text.length >= FOREIGN_TOKEN_CHARS_MIN && text.length <= TOKEN_CHARS_MAX
}

/** The hash that is stored of a token, in hex. No salt and no slow hash: there is nothing to guess in 238 random bits. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}
