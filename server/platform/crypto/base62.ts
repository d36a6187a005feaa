import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const CHECKSUM_CHARS = 6

/** Unbiased: bytes beyond the last whole multiple of the alphabet are thrown away. */
export function randomText(length: number): string {
  const usable = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usable && text.length < length) text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

/** The last digits of the number that the bytes are: of many more bytes than they take, as good as drawn. */
export function textOfBytes(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; text.length < length; rest /= BigInt(ALPHABET.length)) text += ALPHABET[Number(rest % BigInt(ALPHABET.length))]
  return text
}

/** The text with its checksum behind it: CRC-32 of all of it in base 62, as long as the largest value. */
export function withChecksum(body: string): string {
  let rest = crc32(body)
  let checksum = ''
  for (let place = 0; place < CHECKSUM_CHARS; place += 1) {
    checksum = `${ALPHABET[rest % ALPHABET.length]}${checksum}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return `${body}${checksum}`
}

/** Whether a text ends in the checksum of what stands before it, so that it can be one of ours. */
export function hasChecksum(text: string): boolean {
  return withChecksum(text.slice(0, -CHECKSUM_CHARS)) === text
}
