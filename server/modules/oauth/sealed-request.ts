import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Client } from './client-metadata.ts'
import type { Authorization } from './read-authorization.ts'

/** A question that was checked and shown to a person, and may be agreed to. */
export type ShownRequest = { asked: Authorization; client: Client }

const GOOD_FOR_MS = 600_000

/** Seals a question for the person it is shown to, so that the page carries it and no table does. */
export function sealRequest(secrets: SecretBox, userId: string, shown: ShownRequest): string {
  return secrets.seal(JSON.stringify({ ...shown, until: Date.now() + GOOD_FOR_MS }), boxOf(userId))
}

/** The question; undefined when it is over, or was shown to somebody else. */
export function openRequest(secrets: SecretBox, userId: string, sealed: string): ShownRequest | undefined {
  try {
    const { until, asked, client } = JSON.parse(secrets.open(sealed, boxOf(userId)))
    return until > Date.now() ? { asked, client } : undefined
  } catch {
    // Changed, of another person, or under a key that is gone: the question is asked anew.
    return undefined
  }
}

function boxOf(userId: string): string {
  return `question of an agent, to user ${userId}`
}
