import type { LookupTxt } from '../../platform/net/txt-lookup.ts'
import type { Judgement } from './judgement.ts'
import { parseTagList } from './tag-list.ts'

const POLICIES = ['none', 'quarantine', 'reject']
const VERSION = /^\s*v\s*=\s*DMARC1\s*(?:;|$)/
/** A deeper name is cut to this many labels before it is walked up, so that nobody's zone costs more queries. */
const WALKED_LABELS_MAX = 7
const REPORT_URI = /^(?:mailto:[^\s@]+@[^\s@]+|https?:\/\/\S+)$/i

export function dmarcHost(domain: string): string {
  return `_dmarc.${domain}`
}

/**
 * Checks the policy that receivers find for mail from a domain: the one of its own, else that of its organisational
 * domain, which is found by walking up the name instead of a list of public suffixes (the DNS tree walk of DMARC's
 * revision).
 */
export async function judgeDmarc(domain: string, lookup: LookupTxt): Promise<Judgement> {
  const own = await policyAt(domain, lookup)
  if (own.state !== 'missing') return own
  if (own.found.length > 0) {
    const detail = 'The record says psd=y, that this is a public suffix under which others register: take that out.'
    return { ...own, state: 'wrong', detail }
  }
  let inherited: Judgement | undefined
  for (const parent of parentsOf(domain)) {
    const policy = await policyAt(parent, lookup)
    if (policy.state === 'unknown') return policy
    if (policy.state === 'missing') continue
    const note = `The policy of ${parent} applies to this domain, which has none of its own. ${policy.detail}`
    inherited = { ...policy, detail: note }
    if (policy.found.some((record) => /;\s*psd\s*=\s*n\b/i.test(record))) break
  }
  return inherited ?? own
}

async function policyAt(domain: string, lookup: LookupTxt): Promise<Judgement> {
  const answer = await lookup(dmarcHost(domain))
  if (answer.outcome === 'failed') return { state: 'unknown', found: [], detail: answer.detail }
  const records = answer.outcome === 'found' ? answer.records : []
  const suffixes = records.filter((record) => VERSION.test(record) && /;\s*psd\s*=\s*y\b/i.test(record))
  const policy = judgePolicy(records.filter((record) => !suffixes.includes(record)))
  // A public suffix's policy is nobody else's.
  return policy.state === 'missing' ? { ...policy, found: suffixes } : policy
}

/** RFC 7489 section 6.6.3: records that do not begin with the version are none of DMARC's, and several are none at all. */
function judgePolicy(records: readonly string[]): Judgement {
  const found = records.filter((record) => VERSION.test(record))
  const [record] = found
  if (record === undefined) {
    const near = records.find((text) => /dmarc/i.test(text))
    if (near !== undefined) {
      return {
        state: 'wrong',
        found: [near],
        detail: 'The record must begin with v=DMARC1, in these letters, and a semicolon.',
      }
    }
    return { state: 'missing', found, detail: 'There is no DMARC record: publish the TXT record shown.' }
  }
  if (found.length > 1) {
    const detail = `There are ${found.length} DMARC records, and receivers then heed none: keep only one.`
    return { state: 'wrong', found, detail }
  }
  const fault = faultOf(record)
  return fault === undefined
    ? { state: 'ok', found, detail: 'The policy is sound.' }
    : { state: 'wrong', found, detail: fault }
}

function faultOf(record: string): string | undefined {
  const parsed = parseTagList(record)
  if ('fault' in parsed) return `The record cannot be read: ${parsed.fault}.`
  const policy = parsed.tags.get('p')
  if (policy === undefined) return 'The record states no policy: add p=none, p=quarantine or p=reject.'
  for (const tag of ['p', 'sp', 'np']) {
    const value = parsed.tags.get(tag)
    if (value !== undefined && !POLICIES.includes(value.toLowerCase())) {
      return `The tag ${tag}= must be one of ${POLICIES.join(', ')}, not "${value}".`
    }
  }
  for (const tag of ['rua', 'ruf']) {
    const uris = parsed.tags.get(tag)?.split(',') ?? []
    // RFC 7489 section 6.2: "!10m" limits the size of a report.
    const wrong = uris.map((uri) => uri.trim().replace(/!\d+[kmgt]?$/i, '')).find((uri) => !REPORT_URI.test(uri))
    if (wrong !== undefined)
      return `The tag ${tag}= must hold addresses such as mailto:reports@example.com, not "${wrong}".`
  }
  return undefined
}

/** The names above a domain, nearest first, down to two labels: no policy of a whole public suffix is asked for. */
function parentsOf(domain: string): string[] {
  const labels = domain.split('.').slice(1).slice(-WALKED_LABELS_MAX)
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
