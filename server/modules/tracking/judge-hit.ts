import { networkOf } from '../auth/client-ip.ts'
import type { HitKind, RequestSignal } from './request-signals.ts'
import { isScannersAddress } from './scanner-networks.ts'

export type Verdict = 'human' | 'machine'

/** Facts about a hit when it is judged. Times in ms of one clock. */
export type HitFacts = {
  messageId: string
  kind: HitKind
  /** Which link of the message; null for its picture. */
  link: number | null
  atMs: number
  /** When the receiver's server took the message, as far as it is known. */
  deliveredMs: number | null
  ip: string | null
  signals: readonly RequestSignal[]
}

/** Hits within this of each other are looked at together, and judged when it has passed. */
export const COMPANY_MS = 10_000
/** Nobody reads this fast after the delivery; a browser of today is given the benefit of the doubt sooner. */
const EARLY_MS = 5_000
const EARLY_BROWSER_MS = 2_000
/**
 * So many different links of one message within `SWEEP_MS`, from wherever, or any two within `BURST_MS` from one network
 * are not one person's clicks.
 */
const SWEEP_LINKS = 3
const SWEEP_MS = 5_000
const BURST_MS = 500
/** One address does not have the mails of so many people on its screen. */
const CROWD_MESSAGES = 10

/**
 * Says of each hit whether a person or a machine was behind it: by the request itself, by how soon it came, by what else
 * was asked for with it. `around` are all hits of the same messages within `COMPANY_MS`, these among them.
 */
export function judgeHits<H extends HitFacts>(hits: readonly H[], around: readonly HitFacts[]): Map<H, Verdict> {
  const ofMessage = Map.groupBy(around, ({ messageId }) => messageId)
  const crowded = crowds(around)
  return new Map(hits.map((hit) => [hit, verdictOf(hit, ofMessage.get(hit.messageId) ?? [], crowded)]))
}

function verdictOf(hit: HitFacts, ofMessage: readonly HitFacts[], crowded: ReadonlySet<string>): Verdict {
  const isMachine =
    isMachineByItself(hit) ||
    isSweep(hit, ofMessage) ||
    (hit.kind === 'click' && hit.ip !== null && crowded.has(hit.ip)) ||
    ofMessage.some((other) => isSameVisitor(hit, other) && isMachineByItself(other))
  return isMachine ? 'machine' : 'human'
}

function isMachineByItself({ kind, ip, signals, atMs, deliveredMs }: HitFacts): boolean {
  if (signals.some((signal) => signal !== 'bare')) return true
  if (kind === 'click' && ip !== null && isScannersAddress(ip)) return true
  const earlyMs = signals.includes('bare') ? EARLY_MS : EARLY_BROWSER_MS
  return deliveredMs !== null && atMs - deliveredMs < earlyMs
}

/** Part of a run through the links of a message. */
function isSweep(hit: HitFacts, ofMessage: readonly HitFacts[]): boolean {
  if (hit.kind !== 'click') return false
  const near = ofMessage.filter(({ kind, atMs }) => kind === 'click' && Math.abs(atMs - hit.atMs) <= SWEEP_MS)
  const atOnce = near.filter((other) => Math.abs(other.atMs - hit.atMs) <= BURST_MS && isSameVisitor(hit, other))
  return linksAmong(near) >= SWEEP_LINKS || linksAmong(atOnce) >= 2
}

function linksAmong(hits: readonly HitFacts[]): number {
  return new Set(hits.map(({ link }) => link)).size
}

/** From the same subscriber's network, at nearly the same time. */
function isSameVisitor(hit: HitFacts, other: HitFacts): boolean {
  if (hit.ip === null || other.ip === null || Math.abs(hit.atMs - other.atMs) > COMPANY_MS) return false
  return networkOf(hit.ip) === networkOf(other.ip)
}

/** Addresses that followed links in the mails of many people at nearly the same time. */
function crowds(around: readonly HitFacts[]): Set<string> {
  const clicks = around.filter(({ kind, ip }) => kind === 'click' && ip !== null).sort((a, b) => a.atMs - b.atMs)
  const crowded = new Set<string>()
  for (const [ip, hits] of Map.groupBy(clicks, ({ ip }) => ip!)) {
    let first = 0
    for (let last = CROWD_MESSAGES - 1; last < hits.length; last++) {
      while (hits[last]!.atMs - hits[first]!.atMs > COMPANY_MS) first++
      if (new Set(hits.slice(first, last + 1).map(({ messageId }) => messageId)).size >= CROWD_MESSAGES) crowded.add(ip)
    }
  }
  return crowded
}
