import net from 'node:net'
import type { LookupTxt } from '../../platform/net/txt-lookup.ts'
import type { Judgement } from './judgement.ts'

/** RFC 7208 section 4.6.4: a record that needs more look-ups fails as a whole. */
export const SPF_LOOKUPS_MAX = 10

const VERSION = /^v=spf1(?: |$)/i
const COUNTED = new Set(['include', 'a', 'mx', 'ptr', 'exists'])
const TERM = /^[+?~-]?(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i

/** The outcome of evaluating a record and all that it includes. */
type Walk = {
  lookups: number
  /** Domains that `include:` and `redirect=` name, at any depth. */
  included: Set<string>
  fault: string | undefined
  /** A name whose servers gave no answer. */
  unanswered: string | undefined
}

/**
 * Evaluates a domain's SPF record as a receiver would, as far as that needs no message (RFC 7208): one record, its
 * syntax, every include, the limit of look-ups. `required` is the domain that the workspace's provider must be included
 * by; undefined when nothing is known of it.
 */
export async function judgeSpf(domain: string, lookup: LookupTxt, required: string | undefined): Promise<Judgement> {
  const answer = await lookup(domain)
  if (answer.outcome === 'failed') return { state: 'unknown', found: [], detail: answer.detail }
  const found = answer.outcome === 'found' ? answer.records.filter((text) => VERSION.test(text)) : []
  const [record] = found
  if (record === undefined) {
    return { state: 'missing', found, detail: 'The domain has no SPF record: publish the TXT record shown.' }
  }
  if (found.length > 1) {
    const detail = `There are ${found.length} SPF records, and receivers then heed none: merge them into one.`
    return { state: 'wrong', found, detail }
  }
  const walk: Walk = { lookups: 0, included: new Set(), fault: undefined, unanswered: undefined }
  await walkRecord(record, walk, lookup)
  return { ...verdictOf(record, walk, required), found }
}

function verdictOf(record: string, walk: Walk, required: string | undefined): Omit<Judgement, 'found'> {
  if (walk.fault !== undefined) return { state: 'wrong', detail: walk.fault }
  if (termsOf(record).some((term) => /^\+?all$/i.test(term))) {
    return { state: 'wrong', detail: 'The record ends in "all", which lets anybody send as this domain: write ~all.' }
  }
  if (walk.unanswered !== undefined) {
    return {
      state: 'unknown',
      detail: `The name servers of ${walk.unanswered}, which the record includes, gave no answer.`,
    }
  }
  if (required !== undefined && !walk.included.has(required)) {
    const detail = `The record does not allow the provider that mail is sent through: add include:${required} before its last part.`
    return { state: 'wrong', detail }
  }
  return { state: 'ok', detail: `The record is sound and needs ${walk.lookups} of ${SPF_LOOKUPS_MAX} look-ups.` }
}

async function walkRecord(record: string, walk: Walk, lookup: LookupTxt): Promise<void> {
  const terms = termsOf(record)
  walk.fault ??= modifierFault(terms)
  if (walk.fault !== undefined) return
  let redirect: string | undefined
  for (const term of terms) {
    const [, modifier, target = ''] = MODIFIER.exec(term) ?? []
    if (modifier !== undefined) {
      if (modifier.toLowerCase() === 'redirect') redirect = target
      continue
    }
    const [, name, separator, argument = ''] = TERM.exec(term) ?? []
    const mechanism = name?.toLowerCase()
    walk.fault ??= mechanism === undefined ? `The SPF record has a part that means nothing: "${term}".` : undefined
    if (mechanism !== undefined) walk.fault ??= argumentFault(mechanism, separator, argument)
    if (walk.fault !== undefined) return
    // Mechanisms behind `all` are never looked at (RFC 7208 section 5.1).
    if (mechanism === 'all') return
    if (COUNTED.has(mechanism ?? '') && !countLookup(walk)) return
    if (mechanism === 'include') await walkTarget(argument, walk, lookup)
    if (walk.fault !== undefined) return
  }
  if (redirect !== undefined && countLookup(walk)) await walkTarget(redirect, walk, lookup)
}

async function walkTarget(target: string, walk: Walk, lookup: LookupTxt): Promise<void> {
  const name = target.toLowerCase().replace(/\.$/, '')
  walk.included.add(name)
  // A macro depends on the message.
  if (name.includes('%')) return
  const answer = await lookup(name)
  if (answer.outcome === 'failed') {
    walk.unanswered ??= name
    return
  }
  const records = answer.outcome === 'found' ? answer.records.filter((text) => VERSION.test(text)) : []
  const [record] = records
  if (record === undefined) walk.fault ??= `The record includes ${name}, which has no SPF record: remove that part.`
  else if (records.length > 1)
    walk.fault ??= `The record includes ${name}, which has several SPF records: remove that part.`
  else await walkRecord(record, walk, lookup)
}

function countLookup(walk: Walk): boolean {
  walk.lookups += 1
  if (walk.lookups <= SPF_LOOKUPS_MAX) return true
  walk.fault ??= `The record needs more than ${SPF_LOOKUPS_MAX} look-ups, so that receivers heed none of it: remove includes.`
  return false
}

function domainFault(mechanism: string, separator: string, argument: string): string | undefined {
  const lengthsAt = separator === '/' ? 0 : argument.search(/\/\/?\d+$|\/\d+\/\/\d+$/)
  const takesLengths = mechanism === 'a' || mechanism === 'mx'
  if (separator === '/')
    return takesLengths ? lengthFault(mechanism, `/${argument}`) : `The part ${mechanism} takes no network.`
  if (argument === '') return `The part ${mechanism}: names no domain.`
  const lengths = takesLengths && lengthsAt !== -1 ? argument.slice(lengthsAt) : ''
  const domain = lengths === '' ? argument : argument.slice(0, lengthsAt)
  return macroFault(domain) ?? (lengths === '' ? undefined : lengthFault(mechanism, lengths))
}

/** RFC 7208 sections 6 and 7.1: each of these once, and a domain with sound macros in it. */
function modifierFault(terms: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (const term of terms) {
    const [, name = '', target = ''] = MODIFIER.exec(term) ?? []
    const modifier = name.toLowerCase()
    if (modifier !== 'redirect' && modifier !== 'exp') continue
    if (seen.has(modifier)) return `The record has ${modifier}= more than once: keep only one.`
    if (target === '') return `The part ${modifier}= names no domain.`
    const fault = macroFault(target)
    if (fault !== undefined) return fault
    seen.add(modifier)
  }
  return undefined
}

const MACRO = /%(?:[%_-]|\{[slodiphcrtv]\d{0,3}r?[.\-+,/_=]*\})/gi

function macroFault(domain: string): string | undefined {
  if (!domain.replace(MACRO, '').includes('%')) return undefined
  return `The record has a macro that means nothing, in "${domain}": receivers heed none of it.`
}

/** `a/24`, `mx:name/24//64`: RFC 7208 section 5.3. */
const PREFIX_LENGTHS = /^(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/

function lengthFault(mechanism: string, lengths: string): string | undefined {
  const [match, four = '32', six = '128'] = PREFIX_LENGTHS.exec(lengths) ?? []
  const isSound = match !== undefined && Number(four) <= 32 && Number(six) <= 128
  return isSound ? undefined : `The part ${mechanism} has "${lengths}", which is no length of a network.`
}

function argumentFault(mechanism: string, separator: string | undefined, argument: string): string | undefined {
  const needsDomain = mechanism === 'include' || mechanism === 'exists'
  if (needsDomain && (separator !== ':' || argument === '')) return `The part ${mechanism}: names no domain.`
  if (mechanism === 'all' && separator !== undefined) return 'The part all takes nothing after it.'
  if (separator !== undefined && mechanism !== 'ip4' && mechanism !== 'ip6')
    return domainFault(mechanism, separator, argument)
  if (mechanism !== 'ip4' && mechanism !== 'ip6') return undefined
  const [address = '', length] = argument.split('/', 2)
  const isSound = mechanism === 'ip4' ? net.isIPv4(address) : net.isIPv6(address)
  const bitsMax = mechanism === 'ip4' ? 32 : 128
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bitsMax)
  return separator === ':' && isSound && isLength
    ? undefined
    : `The part ${mechanism}:${argument} is no address or network.`
}

function termsOf(record: string): string[] {
  return record.split(' ').filter((term, index) => index > 0 && term !== '')
}
