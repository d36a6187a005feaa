import { type AddressVerdict, judgeAddress, type Networks } from './address-guard.ts'
import type { Resolution, Resolve } from './resolver.ts'
import { ALLOWING, parseTarget, type UrlRefusal } from './url-guard.ts'

/** The judgement of a URL when somebody enters it. `message` never contains a resolved address: it would be an oracle. */
export type UrlJudgement =
  | { outcome: 'allowed' }
  | { outcome: 'refused'; reason: UrlRefusal; message: string }
  | { outcome: 'unresolvable'; reason: 'not_found' | 'failed' | 'timeout' }

/** How long entering a URL may wait for the name's servers: with room for the rest of an answer that is due in 1.9 s. */
export const JUDGE_LOOKUP_TIMEOUT_MS = 1_200

export const DENIED_HOST_MESSAGE = `The host of the URL resolves to an address that is not public. ${ALLOWING}`

/**
 * Judges a URL at creation time: its text, then every address its name has now. `unresolvable` is no refusal, the name
 * may not be published yet; each attempt judges again.
 */
export async function judgeUrl(url: string, deps: { allow: Networks; resolve: Resolve }): Promise<UrlJudgement> {
  const verdict = parseTarget(url, deps.allow)
  if (verdict.outcome === 'refused') return verdict
  if (verdict.target.literal) return { outcome: 'allowed' }
  const resolution: Resolution = await deps.resolve(verdict.target.hostname, JUDGE_LOOKUP_TIMEOUT_MS)
  if (resolution.outcome === 'unresolvable') return resolution
  const judged = judgeAddresses(resolution.addresses, deps.allow)
  return judged.outcome === 'allowed' ? judged : { ...judged, message: DENIED_HOST_MESSAGE }
}

/** Judges everything a name resolved to: one denied address refuses the whole set. */
export function judgeAddresses(addresses: readonly string[], allow: Networks): AddressVerdict {
  for (const address of addresses) {
    const verdict = judgeAddress(address, allow)
    if (verdict.outcome === 'refused') return verdict
  }
  return { outcome: 'allowed' }
}
