import { STRING_OR_NUMBER } from './exact-json.ts'

const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/

/**
 * Bytes of a JSON text as it is kept and told: PostgreSQL writes out the digits that an exponent stands for, so `1e300` takes
 * 301 of them.
 */
export function writtenBytes(json: string): number {
  const bytes = Buffer.byteLength(json)
  if (!/\d[eE]/.test(json)) return bytes
  let added = 0
  for (const [token] of json.matchAll(STRING_OR_NUMBER)) {
    const [, sign = '', whole = '', fraction = '', exponent] = EXPONENTIAL.exec(token) ?? []
    if (exponent === undefined) continue
    const places = Math.max(0, fraction.length - Number(exponent))
    const digits = Math.max(1, whole.length + Number(exponent))
    added += sign.length + digits + (places === 0 ? 0 : 1 + places) - token.length
  }
  return bytes + added
}
