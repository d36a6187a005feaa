import net from 'node:net'

export const SPF_VERSION = /^v=spf1(?: |$)/i
const TERM = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i

/** A part of a record that is none of these is a fault of it. */
export type SpfTerm =
  | { kind: 'modifier'; name: string; target: string }
  | { kind: 'mechanism'; passes: boolean; name: string; domain: string; lengths: string; argument: string }

export function termsOf(record: string): string[] {
  return record.split(' ').filter((term, index) => index > 0 && term !== '')
}

/** A term as it is evaluated, or the fault that makes receivers heed nothing of the record. */
export function readTerm(term: string): SpfTerm | { fault: string } {
  const [, modifier, target = ''] = MODIFIER.exec(term) ?? []
  if (modifier !== undefined) return { kind: 'modifier', name: modifier.toLowerCase(), target }
  const [, qualifier = '', name = '', separator, argument = ''] = TERM.exec(term) ?? []
  if (name === '') return { fault: `The SPF record has a part that means nothing: "${term}".` }
  const mechanism = name.toLowerCase()
  const fault = argumentFault(mechanism, separator, argument)
  if (fault !== undefined) return { fault }
  const { domain, lengths } = separator === '/' ? { domain: '', lengths: `/${argument}` } : divided(argument)
  return {
    kind: 'mechanism',
    passes: qualifier === '' || qualifier === '+',
    name: mechanism,
    domain,
    lengths,
    argument,
  }
}

/** RFC 7208 sections 6 and 7.1: each of these once, and a domain with sound macros in it. */
export function modifierFault(terms: readonly string[]): string | undefined {
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

/** `example.net/24//64`: the domain, and the lengths of networks behind it. */
function divided(argument: string): { domain: string; lengths: string } {
  const at = argument.search(/\/\/?\d+$|\/\d+\/\/\d+$/)
  return at === -1 ? { domain: argument, lengths: '' } : { domain: argument.slice(0, at), lengths: argument.slice(at) }
}

function domainFault(mechanism: string, separator: string, argument: string): string | undefined {
  const takesLengths = mechanism === 'a' || mechanism === 'mx'
  if (separator === '/')
    return takesLengths ? lengthFault(mechanism, `/${argument}`) : `The part ${mechanism} takes no network.`
  if (argument === '') return `The part ${mechanism}: names no domain.`
  const { domain, lengths } = takesLengths ? divided(argument) : { domain: argument, lengths: '' }
  return macroFault(domain) ?? (lengths === '' ? undefined : lengthFault(mechanism, lengths))
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

/** Lengths of networks as a check takes them. */
export function bitsOf(lengths: string): { four: number; six: number } {
  const [, four = '32', six = '128'] = PREFIX_LENGTHS.exec(lengths) ?? []
  return { four: Number(four), six: Number(six) }
}
