import type { Tracker, TrackerHealth } from '../../lib/site-types.ts'

export type ConsentMode = Tracker['consentMode']

export const CONSENT_MODES: Readonly<Record<ConsentMode, { short: string; long: string }>> = {
  required: {
    short: 'Ask first',
    long: 'Nothing is stored in the browser or sent before the visitor has said yes. Right for most sites.',
  },
  implied: {
    short: 'Until they say no',
    long: 'Visitors are recorded until they say no. For pages behind a login.',
  },
  cookieless: {
    short: 'Count, recognise nobody',
    long: 'Visits are counted without any id in the browser, so that nobody is recognised from one page to the next.',
  },
}

/** Why events were thrown away, as the health of a tracker counts them. */
export const DROPPED: readonly { reason: keyof TrackerHealth['dropped']; words: string }[] = [
  { reason: 'bot', words: 'Came from machines, not people' },
  { reason: 'consent', words: 'The visitor had not said yes' },
  { reason: 'gpc', words: 'The browser asks not to be tracked' },
  { reason: 'paused', words: 'Came while it was paused' },
]

export const KEEPS_OLD_KEY_DAYS = 7

/** The line of HTML that a site needs; the consent it states is that of the tracker. */
export function snippetOf({ key, consentMode }: Tracker): string {
  return `<script async src="${location.origin}/t.js" data-collect-key="${key}" data-consent="${consentMode}"></script>`
}
