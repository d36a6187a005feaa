import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
export const STEP_MS = 30_000
const WRONG_CODES = ['000000', '123456', '999999']

/** The code an authenticator shows at a moment, computed from RFC 6238 and RFC 4226 alone. */
export function totpCode(secret: string, atMs = Date.now()): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / STEP_MS)))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = digest[19]! & 0xf
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000
  return String(number).padStart(6, '0')
}

/** A code that is none of the present ones. */
export function wrongCode(secret: string): string {
  const near = [-1, 0, 1].map((steps) => totpCode(secret, Date.now() + steps * STEP_MS))
  return WRONG_CODES.find((code) => !near.includes(code)) as string
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
