import type { Judgement } from './judgement.ts'
import { SPF_VERSION, termsOf } from './spf-terms.ts'
import { type ClientVerdict, SPF_LOOKUPS_MAX, type SpfLookup, type SpfWalk, walkSpf } from './walk-spf.ts'

/** A record, and whether it lets each of the clients asked about send; empty where there is no record to ask. */
export type SpfJudgement = Judgement & { verdicts: ReadonlyMap<string, ClientVerdict> }

type Wanted = {
  /** The domain that the workspace's provider must be included by; undefined when nothing is known of it. */
  required: string | undefined
  /** Addresses that mail is sent from. */
  clients?: readonly string[]
}

/**
 * Evaluates a domain's SPF record as a receiver would, as far as that needs no message (RFC 7208): one record, its
 * syntax, every include, the limits of look-ups.
 */
export async function judgeSpf(
  domain: string,
  lookup: SpfLookup,
  { required, clients = [] }: Wanted,
): Promise<SpfJudgement> {
  const without = { verdicts: new Map() }
  const answer = await lookup.txt(domain)
  if (answer.outcome === 'failed') return { state: 'unknown', found: [], detail: answer.detail, ...without }
  const found = answer.outcome === 'found' ? answer.records.filter((text) => SPF_VERSION.test(text)) : []
  const [record] = found
  if (record === undefined) {
    return {
      state: 'missing',
      found,
      detail: 'The domain has no SPF record: publish the TXT record shown.',
      ...without,
    }
  }
  if (found.length > 1) {
    const detail = `There are ${found.length} SPF records, and receivers then heed none: merge them into one.`
    return { state: 'wrong', found, detail, ...without }
  }
  const walk = await walkSpf({ domain, record, clients }, lookup)
  return { ...verdictOf(record, walk, required), found, verdicts: walk.verdicts }
}

function verdictOf(record: string, walk: SpfWalk, required: string | undefined): Omit<Judgement, 'found'> {
  if (walk.fault !== undefined) return { state: 'wrong', detail: walk.fault }
  if (termsOf(record).some((term) => /^\+?all$/i.test(term))) {
    return { state: 'wrong', detail: 'The record ends in "all", which lets anybody send as this domain: write ~all.' }
  }
  if (walk.unanswered !== undefined) {
    return {
      state: 'unknown',
      detail: `The name servers of ${walk.unanswered}, which the record names, gave no answer.`,
    }
  }
  if (required !== undefined && !walk.included.has(required)) {
    const detail = `The record does not allow the provider that mail is sent through: add include:${required} before its last part.`
    return { state: 'wrong', detail }
  }
  return { state: 'ok', detail: `The record is sound and needs ${walk.lookups} of ${SPF_LOOKUPS_MAX} look-ups.` }
}
