import net from 'node:net'

/**
 * Why an address may not be connected to.
 * `metadata` is a cloud's credential service, `shared` carrier NAT (RFC 6598), `embedded` an IPv6 form that carries an
 * IPv4 address, `not_global` IPv6 outside 2000::/3, `not_an_address` text that is no literal address at all.
 */
export type AddressRefusal =
  | 'metadata'
  | 'unspecified'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link_local'
  | 'protocol_assignment'
  | 'documentation'
  | 'relay'
  | 'benchmarking'
  | 'multicast'
  | 'reserved'
  | 'embedded'
  | 'not_global'
  | 'not_an_address'

export type AddressVerdict = { outcome: 'allowed' } | { outcome: 'refused'; reason: AddressRefusal }

/**
 * A set of networks. IPv4 and IPv6 rules live apart because a `net.BlockList` unwraps IPv4-mapped forms on both sides:
 * its IPv4 rules match `::ffff:127.0.0.1` (wanted), and its IPv6 rule `::/3` matches every IPv4 address (not wanted).
 */
export type Networks = { readonly ipv4: net.BlockList; readonly ipv6: net.BlockList; readonly size: number }

/**
 * Denied ranges, the first that matches names the reason. The union of the IANA special-purpose registries
 * (RFC 6890 and its successors) with the addresses clouds answer credentials on, some of which look public.
 */
export const DENIED_RANGES: readonly (readonly [reason: AddressRefusal, cidr: string])[] = [
  ['metadata', '169.254.169.254/32'], // AWS, Google, Azure, DigitalOcean
  ['metadata', '169.254.170.2/32'], // AWS container credentials
  ['metadata', '169.254.170.23/32'], // AWS EKS pod identity
  ['metadata', '100.100.100.200/32'], // Alibaba
  ['metadata', '168.63.129.16/32'], // Azure wire server, a public-looking address
  ['metadata', '192.0.0.192/32'], // Oracle classic
  ['unspecified', '0.0.0.0/8'], // 0.0.0.0 reaches loopback on Linux
  ['private', '10.0.0.0/8'],
  ['shared', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link_local', '169.254.0.0/16'],
  ['private', '172.16.0.0/12'],
  ['protocol_assignment', '192.0.0.0/24'],
  ['documentation', '192.0.2.0/24'],
  ['relay', '192.31.196.0/24'], // AS112
  ['relay', '192.52.193.0/24'], // AMT
  ['relay', '192.88.99.0/24'], // former 6to4 relay
  ['private', '192.168.0.0/16'],
  ['relay', '192.175.48.0/24'], // AS112
  ['benchmarking', '198.18.0.0/15'],
  ['documentation', '198.51.100.0/24'],
  ['documentation', '203.0.113.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'], // with the broadcast address

  ['metadata', 'fd00:ec2::254/128'], // AWS
  ['metadata', 'fd20:ce::254/128'], // Google
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['embedded', '::/96'], // IPv4-compatible
  ['embedded', '::ffff:0:0/96'], // IPv4-mapped
  ['embedded', '::ffff:0:0:0/96'], // SIIT
  ['embedded', '64:ff9b::/96'], // NAT64
  ['embedded', '64:ff9b:1::/48'], // NAT64, local use
  ['embedded', '2001::/32'], // Teredo
  ['embedded', '2002::/16'], // 6to4
  ['protocol_assignment', '2001::/23'], // with benchmarking and ORCHID
  ['documentation', '2001:db8::/32'],
  ['documentation', '3fff::/20'],
  ['reserved', '3ffe::/16'], // retired 6bone
  ['relay', '2620:4f:8000::/48'], // AS112
  ['private', 'fc00::/7'],
  ['link_local', 'fe80::/10'],
  ['private', 'fec0::/10'], // former site-local
  ['multicast', 'ff00::/8'],
  ['not_global', '::/3'],
  ['not_global', '4000::/2'],
  ['not_global', '8000::/1'],
]

/** No exemption at all: the default. */
export const NO_NETWORKS: Networks = emptyNetworks()

const MAPPED = parseNetworks('::ffff:0:0/96').ipv6
const DENIED = parseNetworks(DENIED_RANGES.map(([, cidr]) => cidr).join())
const DENIED_BY_REASON = DENIED_RANGES.map(([reason, cidr]) => ({ reason, networks: parseNetworks(cidr) }))

const ALLOWED: AddressVerdict = { outcome: 'allowed' }

/**
 * Judges a literal address, IPv4 or IPv6 in any spelling `net.isIP` takes (no brackets).
 *
 * An exempted network wins over every range, for an IPv4 address and for its IPv4-mapped form alike. A mapped address
 * is named after the IPv4 address inside it when that one is denied; a mapped public address is still refused, as
 * `embedded`: nobody publishes one, and what each stack makes of it is not worth finding out.
 */
export function judgeAddress(address: string, allow: Networks): AddressVerdict {
  const version = net.isIP(address)
  // A zone index names an interface of this machine.
  if (version === 0 || address.includes('%')) return { outcome: 'refused', reason: 'not_an_address' }
  if (version === 4) {
    if (allow.size > 0 && allow.ipv4.check(address, 'ipv4')) return ALLOWED
    return DENIED.ipv4.check(address, 'ipv4') ? refusal(address, 'ipv4') : ALLOWED
  }
  if (allow.size > 0 && (allow.ipv6.check(address, 'ipv6') || allow.ipv4.check(address, 'ipv6'))) return ALLOWED
  if (!DENIED.ipv6.check(address, 'ipv6')) return ALLOWED
  return refusal(address, MAPPED.check(address, 'ipv6') && DENIED.ipv4.check(address, 'ipv6') ? 'ipv4' : 'ipv6')
}

/** Names the first range that holds the address, reading an IPv4-mapped one as IPv4 when `rules` says so. */
function refusal(address: string, rules: net.IPVersion): AddressVerdict {
  const family = net.isIPv4(address) ? 'ipv4' : 'ipv6'
  const match = DENIED_BY_REASON.find(({ networks }) => networks[rules].check(address, family))
  return { outcome: 'refused', reason: match?.reason ?? 'reserved' }
}

/** The spelling a socket gives its peer's address in, for comparing; expects what `net.isIP` takes. */
export function canonicalAddress(address: string): string {
  if (net.isIPv4(address)) return address
  return new net.SocketAddress({ address, family: 'ipv6' }).address
}

/**
 * Reads a comma-separated list of networks in CIDR notation (`10.0.0.0/8, fd00::/8`; a bare address is a network of
 * one). Throws an Error of one line that names the bad entry. A prefix of 0 bits is one: an exemption names networks.
 */
export function parseNetworks(text: string): Networks {
  const networks = emptyNetworks()
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  for (const entry of entries) {
    const [address = '', prefixText, ...rest] = entry.split('/')
    const version = net.isIP(address)
    if (version === 0 || address.includes('%') || rest.length > 0) throw new Error(`not a network: ${entry}`)
    const bitsMax = version === 4 ? 32 : 128
    const prefixBits = prefixText === undefined ? bitsMax : Number(prefixText)
    if (!/^[1-9][0-9]{0,2}$/.test(prefixText ?? '1') || prefixBits > bitsMax) {
      throw new Error(`the prefix length must be 1 to ${bitsMax}: ${entry}`)
    }
    if (version === 4) networks.ipv4.addSubnet(address, prefixBits, 'ipv4')
    else networks.ipv6.addSubnet(address, prefixBits, 'ipv6')
  }
  return { ...networks, size: entries.length }
}

function emptyNetworks(): Networks {
  return { ipv4: new net.BlockList(), ipv6: new net.BlockList(), size: 0 }
}
