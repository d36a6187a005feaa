import { SES_REWRITTEN_FIELDS } from '../../platform/mail/dkim-sign.ts'
import type { SendingIntegration } from './sending-integration.ts'

/** Amazon SES taken for an ordinary relay: what it does to messages is the same. */
const SES_SMTP_HOST = /^email-smtp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/

/** Lower-cased names of the fields that a provider writes anew, so that a signature must not cover them. */
export function fieldsRewrittenBy({
  provider,
  smtp,
}: Pick<SendingIntegration, 'provider' | 'smtp'>): readonly string[] {
  const isSes = provider === 'ses' || (smtp !== null && SES_SMTP_HOST.test(smtp.host))
  return isSes ? SES_REWRITTEN_FIELDS : []
}
