import type { IncomingHttpHeaders } from 'node:http'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { isMachineAgent } from '../tracking/request-signals.ts'
import type { ConsentState } from './schemas.ts'

/** Why what a browser sends is not taken, though nobody is at fault; null: it is. */
export type DropReason = 'paused' | 'bot' | 'consent' | 'gpc' | 'erased'

/** Facts that a request shows of its sender. */
export type BrowserSigns = {
  isMachine: boolean
  /** Global Privacy Control. */
  gpc: boolean
}

/**
 * Signs in a request's head. Browsers of today say how they fetch (`Sec-Fetch-Mode`) wherever they trust the address: over
 * https, `expectsMetadata`.
 */
export function browserSigns(
  headers: IncomingHttpHeaders,
  { expectsMetadata }: { expectsMetadata: boolean },
): BrowserSigns {
  const isMachine =
    isMachineAgent('click', headers['user-agent']?.trim() ?? '') ||
    String(headers['sec-ch-ua'] ?? '').includes('HeadlessChrome') ||
    (expectsMetadata && headers['sec-fetch-mode'] === undefined)
  return { isMachine, gpc: headers['sec-gpc'] === '1' }
}

export function dropReason(
  tracker: Pick<FoundTracker, 'paused' | 'consentMode' | 'respectGpc'>,
  signs: BrowserSigns,
  consent: ConsentState | undefined,
): DropReason | null {
  if (tracker.paused) return 'paused'
  if (signs.isMachine) return 'bot'
  if (consent === 'denied') return 'consent'
  if (consent === 'granted' || tracker.consentMode === 'cookieless') return null
  if (tracker.consentMode === 'required') return 'consent'
  return signs.gpc && tracker.respectGpc ? 'gpc' : null
}
