import net from 'node:net'

/**
 * Networks from which scanners of mail follow links, as their owners publish or register them. Of networks from which
 * people browse as well (clouds, web gateways) there are none.
 */
const NETWORKS: readonly (readonly [network: string, bits: number])[] = [
  // Microsoft: Exchange Online Protection, and the detonation of Safe Links.
  ['40.92.0.0', 15],
  ['40.94.0.0', 16],
  ['40.107.0.0', 16],
  ['52.100.0.0', 14],
  ['104.47.0.0', 17],
  ['2a01:111:f400::', 48],
  ['2a01:111:f403::', 48],
  // Cisco Secure Email.
  ['68.232.128.0', 19],
  ['216.71.128.0', 19],
  // Trend Micro.
  ['150.70.0.0', 16],
  ['216.104.0.0', 19],
  // Fortinet: FortiGuard and FortiMail's cloud.
  ['173.243.128.0', 20],
  ['208.91.112.0', 22],
  // Proofpoint.
  ['67.231.144.0', 20],
  ['148.163.128.0', 19],
]

const SCANNERS = new net.BlockList()
for (const [network, bits] of NETWORKS) SCANNERS.addSubnet(network, bits, net.isIPv6(network) ? 'ipv6' : 'ipv4')

/** Whether whoever asks from this address is a scanner of mail. */
export function isScannersAddress(ip: string): boolean {
  return net.isIP(ip) !== 0 && SCANNERS.check(ip, net.isIPv6(ip) ? 'ipv6' : 'ipv4')
}
