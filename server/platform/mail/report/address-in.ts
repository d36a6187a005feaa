/**
 * The address in `rfc822; <ada@example.com>`, `utf-8; …` or as it stands, in lower case. RFC 6533 section 3 writes what is
 * beyond ASCII as `\x{e4}` where it has to.
 */
export function addressIn(value: string | null): string | null {
  if (value === null) return null
  const plain = value
    .replace(/^\s*[a-z0-9-]{1,40}\s*;/i, '')
    .replaceAll(/\\x\{([0-9a-f]{2,6})\}/gi, (text, hex: string) => {
      const point = Number.parseInt(hex, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : text
    })
  const bare = /<([^<>]*)>/.exec(plain)?.[1] ?? plain.replace(/\([^()]*\)/g, '')
  const address = bare.trim().toLowerCase()
  return /^[^\s@]{1,100}@[^\s@]{1,255}$/.test(address) ? address : null
}
