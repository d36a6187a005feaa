import net from 'node:net'
import { PROVIDER, type Provider } from '../../catalogue/providers.ts'
import { judgeAddress, NO_NETWORKS } from '../../platform/net/address-guard.ts'
import { dkimHost } from './dkim-selector.ts'
import { dmarcHost } from './judge-dmarc.ts'

/** A record to publish: `host` is its full name. */
export type DnsRecord = { type: 'TXT'; host: string; value: string }

/** The provider that the workspace sends through: its default integration, as far as SPF is concerned. */
export type MailProvider = { provider: Provider; host: string | null; endpoint: string | null }

const AMAZON_ENDPOINT = /(^|\.)amazonaws\.com(\.cn)?$/

export function dkimRecordOf(domain: string, key: { selector: string; publicKey: string }): DnsRecord {
  return { type: 'TXT', host: dkimHost(key.selector, domain), value: `v=DKIM1; k=rsa; p=${key.publicKey}` }
}

/**
 * For SMTP the relay's own address is allowed; without an integration, or with a relay that only a private network knows,
 * the domain's own servers.
 */
export function spfRecordOf(domain: string, provider: MailProvider | undefined): DnsRecord {
  return { type: 'TXT', host: domain, value: `v=spf1 ${spfMechanism(provider)} ~all` }
}

/**
 * The domain that a record has to include for the workspace's provider; undefined where that cannot be told: of a relay,
 * and of a service that only speaks the API of SES.
 */
export function requiredInclude(provider: MailProvider | undefined): string | undefined {
  const include = provider && PROVIDER[provider.provider].spfInclude
  if (!include) return undefined
  const { endpoint } = provider
  const isAmazon = endpoint === null || AMAZON_ENDPOINT.test(URL.parse(endpoint)?.hostname ?? '')
  return isAmazon ? include : undefined
}

function spfMechanism(provider: MailProvider | undefined): string {
  const include = requiredInclude(provider)
  if (include !== undefined) return `include:${include}`
  const host = provider?.host ?? ''
  const version = net.isIP(host)
  if (version === 0) return host.includes('.') ? `mx a:${host}` : 'a mx'
  return judgeAddress(host, NO_NETWORKS).outcome === 'allowed' ? `mx ip${version}:${host}` : 'a mx'
}

/** Watches without touching mail: reports go to the domain itself. No `pct`, which DMARC's revision drops. */
export function dmarcRecordOf(domain: string): DnsRecord {
  return { type: 'TXT', host: dmarcHost(domain), value: `v=DMARC1; p=none; rua=mailto:dmarc-reports@${domain}` }
}
