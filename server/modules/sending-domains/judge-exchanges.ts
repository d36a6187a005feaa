import type { HostLookup } from '../../platform/net/host-lookup.ts'
import type { Judgement } from './judgement.ts'

/** Whether mail that comes back to the domain of return paths finds a server: it has an MX, and each of its names leads somewhere. */
export async function judgeExchanges(domain: string, hosts: HostLookup): Promise<Judgement> {
  const answer = await hosts.exchanges(domain)
  if (answer.outcome === 'failed') return { state: 'unknown', found: [], detail: answer.detail }
  if (answer.outcome === 'none') {
    const detail = `${domain} has no MX record: mail that comes back does not find this service. Publish one that leads here.`
    return { state: 'missing', found: [], detail }
  }
  const found = answer.records
  if (found.includes('')) {
    return {
      state: 'wrong',
      found,
      detail: `${domain} says that it takes no mail (a null MX): publish one that leads here.`,
    }
  }
  const answers = await Promise.all(found.map(async (host) => ({ host, ...(await hosts.addresses(host)) })))
  const nowhere = answers.filter(({ outcome }) => outcome === 'none').map(({ host }) => host)
  if (nowhere.length > 0)
    return { state: 'wrong', found, detail: `The MX of ${domain} has no address: ${nowhere.join(', ')}.` }
  const silent = answers.find(({ outcome }) => outcome === 'failed')
  if (silent)
    return {
      state: 'unknown',
      found,
      detail: `The name servers of ${silent.host}, an MX of ${domain}, gave no answer.`,
    }
  return { state: 'ok', found, detail: `Mail for ${domain} goes to ${found.join(', ')}.` }
}
