import type { SecretKeys } from '../../../platform/crypto/secret-box.ts'
import { createMessageCodes, type MessageKey } from './message-codes.ts'

export type MessageIds = {
  /** The `Message-ID` of a message, without angle brackets; the same at every attempt (RFC 5322 section 3.6.4). */
  of(message: MessageKey, domain: string): string
  /** The message that a `Message-ID` names, in angle brackets or not; null for any that we did not make. */
  read(value: string): MessageKey | null
}

const PURPOSE = 'postroom message id'
const FORM = /^<?([0-9a-z.]{1,64})@[^\s@<>]{1,255}>?$/i

/**
 * Message-IDs that say which message they are of, and that nobody else can make: reports about a message hold its header,
 * though written by strangers. The domain says nothing; some providers put their own in its place.
 */
export function createMessageIds(deps: { keys: SecretKeys }): MessageIds {
  const codes = createMessageCodes(deps.keys, PURPOSE)
  return {
    of: (message, domain) => `${codes.of(message)}@${domain}`,
    read: (value) => codes.read(FORM.exec(value.trim())?.[1] ?? ''),
  }
}
