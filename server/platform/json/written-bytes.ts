import { scanJson } from './json-scan.ts'

const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/

/**
 * Bytes of a JSON text as it is kept and told: PostgreSQL writes out the digits that an exponent stands for, so `1e300` takes
 * 301 of them.
 */
export function writtenBytes(json: string): number {
  const bytes = Buffer.byteLength(json)
  if (!/\d[eE]/.test(json)) return bytes
  let added = 0
  scanJson(json, {
    number(from, to) {
      const [, sign = '', whole = '', fraction = '', exponent] = EXPONENTIAL.exec(json.slice(from, to)) ?? []
      if (exponent === undefined) return
      const places = Math.max(0, fraction.length - Number(exponent))
      const digits = Math.max(1, whole.length + Number(exponent))
      added += sign.length + digits + (places === 0 ? 0 : 1 + places) - (to - from)
    },
  })
  return bytes + added
}
