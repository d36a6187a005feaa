import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { createMessageCodes, type MessageKey } from '../sending/ledger/message-codes.ts'

export type UnsubscribeAddresses = {
  /** The address that stops what the message is of, once anything is sent to it; null without a bounce domain. */
  of(message: MessageKey): string | null
  /** The message whose address it is; null for any that we did not make. */
  read(address: string): MessageKey | null
}

const PURPOSE = 'postroom unsubscribe address'
const PREFIX = 'unsubscribe+'

/**
 * Addresses for programs that unsubscribe by mail and know no other way (RFC 2369 section 3.2):
 * `unsubscribe+<workspace>.<message>.<code>@<bounce domain>`, where returned mail is taken in anyway. At most 60 characters
 * before the @.
 */
export function createUnsubscribeAddresses(deps: {
  keys: SecretKeys
  bounceDomain: string | null
}): UnsubscribeAddresses {
  const codes = createMessageCodes(deps.keys, PURPOSE)
  const domain = deps.bounceDomain?.toLowerCase() ?? null
  return {
    of: (message) => (domain === null ? null : `${PREFIX}${codes.of(message)}@${domain}`),
    read(address) {
      const lower = address.toLowerCase()
      if (domain === null || !lower.startsWith(PREFIX) || !lower.endsWith(`@${domain}`)) return null
      return codes.read(lower.slice(PREFIX.length, -domain.length - 1))
    },
  }
}
