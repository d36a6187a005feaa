import net from 'node:net'
import {
  type AddressRefusal,
  type AddressVerdict,
  canonicalAddress,
  judgeAddress,
  type Networks,
  NO_NETWORKS,
  parseNetworks,
} from '../net/address-guard.ts'
import type { Resolution, Resolve } from '../net/resolver.ts'

/**
 * Networks that are not public and in which a mail server may stand all the same: this machine, private networks,
 * carrier NAT. A relay beside the service is the ordinary case of whoever runs it for themselves.
 */
export const PRIVATE_NETWORKS = parseNetworks(
  '127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, ::1, fc00::/7',
)

/** Never connected to, whatever networks are allowed: a cloud answers credentials there, or no mail server can be. */
const NEVER: ReadonlySet<AddressRefusal> = new Set([
  'metadata',
  'link_local',
  'unspecified',
  'multicast',
  'reserved',
  'not_an_address',
])

export type MailHost =
  | { outcome: 'resolved'; addresses: readonly string[] }
  | { outcome: 'refused'; reason: AddressRefusal }
  | Extract<Resolution, { outcome: 'unresolvable' }>

export type MailHostDeps = {
  /** Networks besides public addresses that mail servers may be in. */
  allow: Networks
  resolve: Resolve
}

/** Looks a mail server's host up once and judges every address it has; one refused address refuses the host. */
export async function lookUpMailHost(deps: MailHostDeps, host: string, timeoutMs: number): Promise<MailHost> {
  const literal = net.isIP(host) !== 0
  const resolution: Resolution = literal
    ? { outcome: 'resolved', addresses: [host] }
    : await deps.resolve(host, timeoutMs)
  if (resolution.outcome === 'unresolvable') return resolution
  for (const address of resolution.addresses) {
    const verdict = judgeMailAddress(address, deps.allow)
    if (verdict.outcome === 'refused') return verdict
  }
  return { outcome: 'resolved', addresses: resolution.addresses.map(canonicalAddress) }
}

export function judgeMailAddress(address: string, allow: Networks): AddressVerdict {
  const verdict = judgeAddress(address, NO_NETWORKS)
  if (verdict.outcome === 'refused' && NEVER.has(verdict.reason)) return verdict
  return judgeAddress(address, allow)
}
