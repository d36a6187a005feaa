import { isIP } from 'node:net'
import { networkOf } from '../auth/client-ip.ts'

const IPV6_GROUPS_KEPT = 3

/** The network of an address, for the record: of IPv4 the first 24 bits, of IPv6 the first 48. Null for what is no address. */
export function cutIp(ip: string): string | null {
  const [bare = ''] = ip.split('%')
  if (isIP(bare) === 0) return null
  if (!bare.includes(':')) return `${bare.slice(0, bare.lastIndexOf('.'))}.0/24`
  return `${networkOf(bare).split(':').slice(0, IPV6_GROUPS_KEPT).join(':')}::/48`
}
