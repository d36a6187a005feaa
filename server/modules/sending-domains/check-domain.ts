import { NAME_CHARS_MAX } from '../../platform/net/domain-name.ts'
import type { TxtResolver } from '../../platform/net/txt-lookup.ts'
import { dkimHost } from './dkim-selector.ts'
import { type MailProvider, requiredInclude } from './dns-records.ts'
import { judgeDkim } from './judge-dkim.ts'
import { judgeDmarc } from './judge-dmarc.ts'
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

export type DomainReport = { dkim: ReadonlyMap<string, CheckResult>; spf: CheckResult; dmarc: CheckResult }

/** Looks up all records of a domain at once and judges them. Touches the network only; does not throw for what is there. */
export async function checkDomain(resolveTxt: TxtResolver, subject: CheckedDomain): Promise<DomainReport> {
  const lookup = resolveTxt(performance.now() + CHECK_DEADLINE_MS)
  const { domain } = subject
  const [dkim, spf, dmarc] = await Promise.all([
    Promise.all(subject.keys.map(async (key) => [key.id, await judgeKey(key)] as const)),
    judgeSpf(domain, lookup, requiredInclude(subject.provider)),
    judgeDmarc(domain, lookup),
  ])
  const checkedAt = new Date().toISOString()
  const kept = (judgement: Judgement): CheckResult => ({
    state: judgement.state,
    found: judgement.found.slice(0, FOUND_MAX).map((record) => storable(record.slice(0, FOUND_CHARS_MAX))),
    detail: storable(judgement.detail),
    checkedAt,
  })
  return { dkim: new Map(dkim.map(([id, judgement]) => [id, kept(judgement)])), spf: kept(spf), dmarc: kept(dmarc) }

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
