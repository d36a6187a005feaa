import { createCipheriv, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { LinkKey, LinkKeys, LinkPurpose } from './link-keys.ts'

/*
 * The token in a link: base64url of key id (2 bytes), code (16 bytes), text. The code is HMAC-SHA-256 over the text, cut
 * to 128 bits, under a key of the link's purpose, so that no token serves where another is meant.
 *
 * Where the text tells about a person it is encrypted, with the code as the initialisation vector (the construction of
 * RFC 5297): whoever sees the address of such a link, in a log or a history, learns nothing from it. Nothing of a token
 * is random, so that a mail sent again has the links it had.
 */
const KEY_ID_BYTES = 2
const CODE_BYTES = 16
const HEAD_BYTES = KEY_ID_BYTES + CODE_BYTES
/** Longest token that any link has; longer paths are refused by HTTP servers, ours among them. */
export const TOKEN_CHARS_MAX = 2_000
/** Bytes that fit into the longest token. */
export const TOKEN_TEXT_BYTES_MAX = Math.floor((TOKEN_CHARS_MAX * 3) / 4) - HEAD_BYTES

/** Purposes whose tokens tell about a person. */
const SEALED: ReadonlySet<LinkPurpose> = new Set(['unsubscribe', 'confirm', 'sign-up', 'landing'])

/** Makes a token of the parts, none of which has a line break in it. The same parts always make the same token. */
export function makeToken(key: LinkKey, purpose: LinkPurpose, parts: readonly string[]): string {
  const text = Buffer.from(parts.join('\n'))
  const code = codeOf(text, key, purpose)
  const token = Buffer.allocUnsafe(HEAD_BYTES + text.length)
  token.writeUInt16BE(key.id, 0)
  code.copy(token, KEY_ID_BYTES)
  const content = SEALED.has(purpose) ? crypt(text, key.keyFor(purpose, 'encryption'), code) : text
  content.copy(token, HEAD_BYTES)
  return token.toString('base64url')
}

/** The parts of a token that we made for this purpose; undefined for anything else. */
export async function readToken(keys: LinkKeys, purpose: LinkPurpose, token: string): Promise<string[] | undefined> {
  if (token.length > TOKEN_CHARS_MAX) return undefined
  const bytes = Buffer.from(token, 'base64url')
  // Other spellings of the same bytes are not what we wrote.
  if (bytes.length < HEAD_BYTES || bytes.toString('base64url') !== token) return undefined
  const key = await keys.find(bytes.readUInt16BE(0))
  if (key === undefined) return undefined
  const code = bytes.subarray(KEY_ID_BYTES, HEAD_BYTES)
  const content = bytes.subarray(HEAD_BYTES)
  const text = SEALED.has(purpose) ? crypt(content, key.keyFor(purpose, 'encryption'), code) : content
  return timingSafeEqual(code, codeOf(text, key, purpose)) ? text.toString().split('\n') : undefined
}

function codeOf(text: Buffer, key: LinkKey, purpose: LinkPurpose): Buffer {
  return createHmac('sha256', key.keyFor(purpose, 'code')).update(text).digest().subarray(0, CODE_BYTES)
}

/** Encrypts and decrypts: counter mode is its own inverse. */
function crypt(text: Buffer, key: KeyObject, code: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', key, code).update(text)
}
