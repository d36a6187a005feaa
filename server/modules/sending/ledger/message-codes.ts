import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKeys } from '../../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../../platform/crypto/secret-box.ts'

/** A message; ids are decimal strings. */
export type MessageKey = { workspaceId: string; messageId: string }

export type MessageCodes = {
  /** `<workspace>.<message>.<code>`, ids in base 36. */
  of(message: MessageKey): string
  /** The message of a code that we made, for this purpose; null for any other text. */
  read(text: string): MessageKey | null
}

/** 20 characters of five bits: 100 bits that nobody guesses by writing to us. */
const CODE_CHARS = 20
/** 64-bit ids in base 36. */
const FORM = new RegExp(`^([0-9a-z]{1,13})\\.([0-9a-z]{1,13})\\.([a-z2-7]{${CODE_CHARS}})$`)
const ID_MAX = 2n ** 63n - 1n

/**
 * Names of messages that leave the house and are believed when they come back: the code is made with a key derived from
 * the instance's for one purpose, so that a name made for one place is none in another. Lower-case letters and digits
 * only, since systems on the way change the case; at most 48 characters.
 */
export function createMessageCodes(keys: SecretKeys, purpose: string): MessageCodes {
  const [current, ...old] = derivedKeys(keys, purpose)
  return {
    of({ workspaceId, messageId }) {
      const subject = `${BigInt(workspaceId).toString(36)}.${BigInt(messageId).toString(36)}`
      return `${subject}.${codeOf(subject, current)}`
    },
    read(text) {
      const lower = text.toLowerCase()
      const [, workspace, message, code] = FORM.exec(lower) ?? []
      if (code === undefined) return null
      const subject = lower.slice(0, -code.length - 1)
      if (![current, ...old].some((key) => isSame(code, codeOf(subject, key)))) return null
      const [workspaceId, messageId] = [fromBase36(workspace!), fromBase36(message!)]
      return workspaceId <= ID_MAX && messageId <= ID_MAX
        ? { workspaceId: String(workspaceId), messageId: String(messageId) }
        : null
    },
  }
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

function codeOf(subject: string, key: KeyObject): string {
  const mac = createHmac('sha256', key).update(subject).digest()
  let code = ''
  // 256 is a multiple of 32: five bits of a byte are as random as all of it.
  for (let n = 0; n < CODE_CHARS; n++) code += BASE32[mac[n]! & 31]
  return code
}

function isSame(given: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(given), Buffer.from(right))
}

function fromBase36(text: string): bigint {
  let value = 0n
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
