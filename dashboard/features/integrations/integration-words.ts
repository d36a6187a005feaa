import { numberText } from '../../lib/format.ts'
import type { EffectiveLimit, Integration } from '../../lib/site-types.ts'
import { leadsToMailbox } from './leads-to-mailbox.ts'

/** `smtp.example.com`, `Amazon SES, eu-central-1`, `The mailbox of this machine`. */
export function providerText(integration: Integration): string {
  const { config } = integration
  if (leadsToMailbox(integration)) return 'The mailbox of this machine'
  if (config.kind === 'ses') return `Amazon SES, ${config.region}`
  return `${config.host}:${config.port}`
}

export function limitsText({ perSecond, perDay }: Integration['sendLimit']): string {
  const parts = [
    perSecond.limit === null ? undefined : `${numberText(perSecond.limit)} a second`,
    perDay.limit === null ? undefined : `${numberText(perDay.limit)} a day`,
  ].filter((part) => part !== undefined)
  return parts.join(', ') || 'None'
}

/** Where a limit that holds comes from. */
export function sourceText({ limit, source }: EffectiveLimit): string {
  if (limit === null) return 'neither yours nor the provider’s'
  return source === 'manual' ? 'as you set it' : 'as the provider allows'
}

export const WARNINGS: Readonly<Record<Integration['sendLimit']['warnings'][number], string>> = {
  unlimited: 'One of the two limits has no value: mail goes as fast as the server takes it.',
  providerQuotaUnavailable: 'The provider’s quota could not be read the last time. The values before still hold.',
  dailyLimitNear: '80 % of the daily limit is used.',
  dailyLimitReached: 'The daily limit is reached. Mail waits, and goes on as the day before falls out of the window.',
}
