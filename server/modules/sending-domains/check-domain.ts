import { NAME_CHARS_MAX } from '../../platform/net/domain-name.ts'
import type { HostResolver } from '../../platform/net/host-lookup.ts'
import type { TxtResolver } from '../../platform/net/txt-lookup.ts'
import { dkimHost } from './dkim-selector.ts'
import { type MailProvider, requiredInclude } from './dns-records.ts'
import { judgeDkim } from './judge-dkim.ts'
import { judgeDmarc } from './judge-dmarc.ts'
import { judgeExchanges } from './judge-exchanges.ts'
import { judgeRelay, relayAddresses } from './judge-relay.ts'
import { judgeSpf } from './judge-spf.ts'
import type { Judgement } from './judgement.ts'

/** A check as it is kept: at most FOUND_MAX records of at most FOUND_CHARS_MAX characters. */
export type CheckResult = Judgement & { checkedAt: string }

/** Covers every look-up of one domain. A zone that never answers costs its own check this long, and no other. */
const CHECK_DEADLINE_MS = 15_000
const FOUND_MAX = 10
const FOUND_CHARS_MAX = 1_000

export type CheckedDomain = {
  domain: string
  provider: MailProvider | undefined
  keys: readonly { id: string; selector: string; publicKey: string }[]
}

/** The server that mail is handed to, judged by the domain of its return paths. */
export type RelayResult = CheckResult & { host: string; domain: string }
/** The domain of return paths, where it is one of its own. */
export type ReturnPathResult = { domain: string; mx: CheckResult; spf: CheckResult }

export type DomainReport = {
  dkim: ReadonlyMap<string, CheckResult>
  spf: CheckResult
  dmarc: CheckResult
  relay: RelayResult | null
  returnPath: ReturnPathResult | null
}

export type DomainLookups = {
  resolveTxt: TxtResolver
  resolveHosts: HostResolver
  /** The domain of this installation's return paths; null: that of the from address. */
  bounceDomain: string | null
}

/** Looks up all records of a domain at once and judges them. Touches the network only; does not throw for what is there. */
export async function checkDomain(
  { resolveTxt, resolveHosts, bounceDomain }: DomainLookups,
  subject: CheckedDomain,
): Promise<DomainReport> {
  const deadlineMs = performance.now() + CHECK_DEADLINE_MS
  const lookup = resolveTxt(deadlineMs)
  const hosts = resolveHosts(deadlineMs)
  const { domain, provider } = subject
  const host = provider?.provider === 'smtp' ? provider.host : null
  const required = requiredInclude(provider)
  const judgeMailOf = async (from: string) => {
    const relay = host === null ? null : await relayAddresses(host, hosts)
    const clients = relay?.outcome === 'known' ? relay.addresses : []
    const spf = await judgeSpf(from, { txt: lookup, hosts }, { required, clients })
    const named = { host: host ?? '', domain: from }
    return { spf, relay: relay && { ...named, judgement: judgeRelay(named, relay, spf) } }
  }
  const [dkim, own, dmarc, back] = await Promise.all([
    Promise.all(subject.keys.map(async (key) => [key.id, await judgeKey(key)] as const)),
    judgeMailOf(domain),
    judgeDmarc(domain, lookup),
    bounceDomain && Promise.all([judgeExchanges(bounceDomain, hosts), judgeMailOf(bounceDomain)]),
  ])
  const checkedAt = new Date().toISOString()
  const kept = (judgement: Judgement): CheckResult => ({
    state: judgement.state,
    found: judgement.found.slice(0, FOUND_MAX).map((record) => storable(record.slice(0, FOUND_CHARS_MAX))),
    detail: storable(judgement.detail),
    checkedAt,
  })
  // Receivers ask the domain of the return path.
  const { relay } = back ? back[1] : own
  return {
    dkim: new Map(dkim.map(([id, judgement]) => [id, kept(judgement)])),
    spf: kept(own.spf),
    dmarc: kept(dmarc),
    relay: relay && { host: relay.host, domain: relay.domain, ...kept(relay.judgement) },
    returnPath: bounceDomain && back ? { domain: bounceDomain, mx: kept(back[0]), spf: kept(back[1].spf) } : null,
  }

  async function judgeKey({ selector, publicKey }: CheckedDomain['keys'][number]): Promise<Judgement> {
    const host = dkimHost(selector, domain)
    const answer = await lookup(host)
    if (answer.outcome === 'failed') return { state: 'unknown', found: [], detail: answer.detail }
    const judgement = judgeDkim(answer.outcome === 'found' ? answer.records : [], publicKey)
    return judgement.state === 'missing' && (await isDoubled(host, publicKey)) ? doubled(judgement) : judgement
  }

  /** The commonest slip: a panel that adds the domain by itself was given the full name. */
  async function isDoubled(host: string, publicKey: string): Promise<boolean> {
    const name = `${host}.${domain}`
    if (name.length > NAME_CHARS_MAX) return false
    const answer = await lookup(name)
    return answer.outcome === 'found' && judgeDkim(answer.records, publicKey).state === 'ok'
  }

  function doubled(judgement: Judgement): Judgement {
    const detail = `The record stands at a name that ends in ${domain}.${domain}: your DNS panel adds the domain by itself, so leave it out of the name.`
    return { ...judgement, detail }
  }
}

/** A record may hold any byte; PostgreSQL's JSON takes no U+0000 and no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}
