import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { createMessageCodes, type MessageKey } from '../sending/ledger/message-codes.ts'

export type ReturnPaths = {
  /** The envelope sender of a message, its own; null without a bounce domain: then it is the From address. */
  of(message: MessageKey): string | null
  /** The message whose return path an address is; null for any that we did not make. */
  read(address: string): MessageKey | null
}

const PURPOSE = 'postroom return path'
/** As list servers have it (VERP): filters and absence notices take it for what it is. */
const PREFIX = 'bounces+'
/** Of mail from before, which comes back for weeks. */
const PREFIXES = [PREFIX, 'b.']

/**
 * Return paths that name the message they belong to: `bounces+<workspace>.<message>.<code>@<bounce domain>`. Mail that comes back is
 * about the message in this address and no other, whatever its text says. At most 57 characters before the @ (RFC 5321
 * section 4.5.3.1.1 allows 64).
 */
export function createReturnPaths(deps: { keys: SecretKeys; bounceDomain: string | null }): ReturnPaths {
  const codes = createMessageCodes(deps.keys, PURPOSE)
  const domain = deps.bounceDomain?.toLowerCase() ?? null
  return {
    of: (message) => (domain === null ? null : `${PREFIX}${codes.of(message)}@${domain}`),
    read(address) {
      const at = address.lastIndexOf('@')
      if (domain === null || address.slice(at + 1).toLowerCase() !== domain) return null
      const local = address.slice(0, at).toLowerCase()
      const prefix = PREFIXES.find((one) => local.startsWith(one))
      return prefix === undefined ? null : codes.read(local.slice(prefix.length))
    },
  }
}
