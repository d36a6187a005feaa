import net from 'node:net'
import { judgeAddress, NO_NETWORKS } from '../../platform/net/address-guard.ts'
import type { HostLookup } from '../../platform/net/host-lookup.ts'
import type { SpfJudgement } from './judge-spf.ts'
import type { Judgement } from './judgement.ts'

export type RelayAddresses = { outcome: 'known'; addresses: readonly string[] } | { outcome: 'unknown'; detail: string }

/** Public addresses of the server that mail is handed to; null: it is one that only a private network knows, and sends from another. */
export async function relayAddresses(host: string, hosts: HostLookup): Promise<RelayAddresses | null> {
  const isAddress = net.isIP(host) !== 0
  if (!isAddress && !host.includes('.')) return null
  const answer = isAddress ? ({ outcome: 'found', records: [host] } as const) : await hosts.addresses(host)
  if (answer.outcome === 'failed') return { outcome: 'unknown', detail: answer.detail }
  if (answer.outcome === 'none') return { outcome: 'unknown', detail: `${host} has no address.` }
  const addresses = answer.records.filter((address) => judgeAddress(address, NO_NETWORKS).outcome === 'allowed')
  return addresses.length === 0 ? null : { outcome: 'known', addresses }
}

/** Whether mail that the relay sends under a return path of `domain` would pass SPF there. */
export function judgeRelay(
  { host, domain }: { host: string; domain: string },
  relay: RelayAddresses,
  spf: SpfJudgement,
): Judgement {
  if (relay.outcome === 'unknown') return { state: 'unknown', found: [], detail: relay.detail }
  const found = relay.addresses
  if (spf.state === 'missing')
    return { state: 'missing', found, detail: `${domain} has no SPF record that allows ${host}.` }
  if (spf.state !== 'ok') {
    const state = spf.state === 'wrong' ? 'wrong' : 'unknown'
    return { state, found, detail: `The SPF record of ${domain} has to be sound first.` }
  }
  const refused = found.filter((address) => spf.verdicts.get(address) === 'no')
  if (refused.length > 0) {
    const detail = `The SPF record of ${domain} does not allow ${host} (${refused.join(', ')}): add a:${host}, or what its operator names if it sends from other addresses than it takes mail at.`
    return { state: 'wrong', found, detail }
  }
  if (found.some((address) => spf.verdicts.get(address) !== 'pass')) {
    const detail = `Whether the SPF record of ${domain} allows ${host} depends on the message.`
    return { state: 'unknown', found, detail }
  }
  return { state: 'ok', found, detail: `The SPF record of ${domain} allows ${host}.` }
}
