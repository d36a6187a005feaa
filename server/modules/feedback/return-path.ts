import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'

/** The message that a return path was made for; ids are decimal strings. */
export type ReturnedTo = { workspaceId: string; messageId: string }

export type ReturnPaths = {
  /** The envelope sender of a message, its own; null without a bounce domain: then it is the From address. */
  of(message: ReturnedTo): string | null
  /** The message whose return path an address is; null for any that we did not make. */
  read(address: string): ReturnedTo | null
}

const PURPOSE = 'postroom return path'
/** 20 characters of five bits: 100 bits that nobody guesses over SMTP. */
const CODE_CHARS = 20
/** 64-bit ids in base 36. */
const LOCAL_PART = new RegExp(`^b\\.([0-9a-z]{1,13})\\.([0-9a-z]{1,13})\\.([a-z2-7]{${CODE_CHARS}})$`)
const ID_MAX = 2n ** 63n - 1n

/**
 * Return paths that name the message they belong to: `b.<workspace>.<message>.<code>@<bounce domain>`, where the code is
 * made with a key derived from the instance's. What comes back is about the message in this address and no other,
 * whatever its text says. Only lower-case letters and digits, since servers on the way change the case; at most 50
 * characters before the @ (RFC 5321 section 4.5.3.1.1 allows 64).
 */
export function createReturnPaths(deps: { keys: SecretKeys; bounceDomain: string | null }): ReturnPaths {
  const [current, ...old] = derivedKeys(deps.keys, PURPOSE)
  const domain = deps.bounceDomain?.toLowerCase() ?? null
  return {
    of({ workspaceId, messageId }) {
      if (domain === null) return null
      const subject = `b.${BigInt(workspaceId).toString(36)}.${BigInt(messageId).toString(36)}`
      return `${subject}.${codeOf(subject, current)}@${domain}`
    },
    read(address) {
      const lower = address.toLowerCase()
      const at = lower.lastIndexOf('@')
      if (domain === null || lower.slice(at + 1) !== domain) return null
      const local = lower.slice(0, at)
      const [, workspace, message, code] = LOCAL_PART.exec(local) ?? []
      if (code === undefined) return null
      const subject = local.slice(0, -code.length - 1)
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
