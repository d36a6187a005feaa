/** An address as its family and its value: 32 or 128 bits. */
export type AddressValue = { family: 4 | 6; value: bigint }
export type AddressRange = { cidr: string; family: 4 | 6; first: bigint; last: bigint }

/**
 * Everything that may never be connected to, written down here a second time on purpose: were it taken from the guard,
 * a range missing there would be missing here. Sources: the IANA special-purpose registries and the clouds' manuals.
 */
export const DENIED_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
].map(rangeOf)

export const DENIED_IPV6 = [
  ...['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64'],
  ...['2001::/32', '2001:2::/48', '2001:10::/28', '2001:20::/28', '2001::/23', '2001:db8::/32', '2002::/16'],
  ...['2620:4f:8000::/48', '3ffe::/16', '3fff::/20', '4000::/3', '5f00::/16', '8000::/1', 'fc00::/7', 'fe80::/10'],
  ...['fec0::/10', 'ff00::/8'],
].map(rangeOf)

/** Addresses clouds answer credentials on. */
export const METADATA = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  ...['fd00:ec2::254', 'fd20:ce::254'],
].map(parseAddress)

/** First, middle and last address of a range. */
export function samplesOf({ family, first, last }: AddressRange): AddressValue[] {
  return [first, (first + last) / 2n, last].map((value) => ({ family, value }))
}

/** The addresses 1 and 256 before and behind a range, as far as no other denied range holds them. */
export function neighboursOf(range: AddressRange): AddressValue[] {
  const { family, first, last } = range
  const ranges = family === 4 ? DENIED_IPV4 : DENIED_IPV6
  const [lowest, highest] = family === 4 ? [0n, 2n ** 32n - 1n] : [0x2000n << 112n, (0x4000n << 112n) - 1n]
  return [first - 1n, first - 256n, last + 1n, last + 256n]
    .filter((value) => value >= lowest && value <= highest)
    .filter((value) => !ranges.some((other) => value >= other.first && value <= other.last))
    .map((value) => ({ family, value }))
}

/** Dotted decimal, or eight groups in full. */
export function format({ family, value }: AddressValue): string {
  return family === 4 ? bytesOf(value).join('.') : groupsOf(value).join(':')
}

/** Every way the address is written in the host of a URL. */
export function spellingsOf(address: AddressValue): string[] {
  if (address.family === 6) return spellingsOfIpv6(address.value)
  return [...spellingsOfIpv4(address.value), ...carriersOf(address.value).map((host) => `[${host}]`)]
}

function spellingsOfIpv6(value: bigint): string[] {
  const groups = groupsOf(value)
  const low = bytesOf(value & 0xffffffffn).join('.')
  const padded = groups.map((group) => group.padStart(4, '0')).join(':')
  return [`[${groups.join(':')}]`, `[${padded.toUpperCase()}]`, `[${groups.slice(0, 6).join(':')}:${low}]`]
}

/** The spellings of RFC 3986's and inet_aton's traditions, which the WHATWG parser all takes for the same address. */
export function spellingsOfIpv4(value: bigint): string[] {
  const bytes = bytesOf(value)
  const dotted = bytes.join('.')
  const octal = (byte: number): string => `0${byte.toString(8)}`
  const hex = (byte: number): string => `0x${byte.toString(16)}`
  return [
    dotted,
    `${dotted}.`,
    value.toString(),
    `0x${value.toString(16)}`,
    `0${value.toString(8)}`,
    bytes.map(octal).join('.'),
    bytes.map(hex).join('.'),
    `${bytes[0]}.${value & 0xffffffn}`,
    `${bytes[0]}.${bytes[1]}.${value & 0xffffn}`,
    [...dotted].map((c) => (c === '.' ? c : String.fromCodePoint(0xff10 + Number(c)))).join(''),
    dotted.replaceAll('.', '\u3002'),
    [...dotted].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
  ]
}

/** IPv6 addresses that carry the IPv4 address: mapped, compatible, SIIT, NAT64 (both), 6to4, Teredo. */
export function carriersOf(value: bigint): string[] {
  const dotted = bytesOf(value).join('.')
  const high = (value >> 16n).toString(16)
  const low = (value & 0xffffn).toString(16)
  // Teredo carries the client's address with every bit turned.
  const turned = value ^ 0xffffffffn
  return [
    `::ffff:${dotted}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${dotted}`,
    `::ffff:0:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b:1::${dotted}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
    `2001::${(turned >> 16n).toString(16)}:${(turned & 0xffffn).toString(16)}`,
  ]
}

export function parseAddress(text: string): AddressValue {
  if (!text.includes(':')) {
    return { family: 4, value: text.split('.').reduce((value, byte) => value * 256n + BigInt(byte), 0n) }
  }
  const [head = '', tail] = text.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after]
  return { family: 6, value: groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n) }
}

function rangeOf(cidr: string): AddressRange {
  const [address = '', prefix] = cidr.split('/')
  const { family, value } = parseAddress(address)
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(prefix))
  return { cidr, family, first: value, last: value + size - 1n }
}

function bytesOf(value: bigint): number[] {
  return [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 0xffn))
}

function groupsOf(value: bigint): string[] {
  return Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
}
