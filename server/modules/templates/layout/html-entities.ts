const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
const CODE_POINT_MAX = 0x10ffff

/** The text that an attribute's value stands for, as far as addresses need it: numbers and the few names that occur there. */
export function decodeEntities(value: string): string {
  if (!value.includes('&')) return value
  return value.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return NAMED[String(name).toLowerCase()]!
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0 && code <= CODE_POINT_MAX ? String.fromCodePoint(code) : whole
    },
  )
}
