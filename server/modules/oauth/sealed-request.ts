import { AGENT_SCOPES } from '../../catalogue/scopes.ts'
import { type SecretBox, sealedCharsMax } from '../../platform/crypto/secret-box.ts'
import { type Client, NAME_CHARS_MAX, REDIRECT_URIS_MAX } from './client-metadata.ts'
import { type Authorization, CLIENT_ID_CHARS_MAX, STATE_CHARS_MAX } from './read-authorization.ts'
import { REDIRECT_URI_CHARS_MAX } from './redirect-uri.ts'

/** A question that was checked and shown to a person, and may be agreed to. */
export type ShownRequest = { asked: Authorization; client: Client }

const GOOD_FOR_MS = 600_000

/** The longest question that there is, each sign of it the one that takes JSON the most to write: two of an address, six of a state. */
const id = '\\'.repeat(CLIENT_ID_CHARS_MAX)
const redirectUri = '\\'.repeat(REDIRECT_URI_CHARS_MAX)
const LONGEST: ShownRequest & { until: number } = {
  asked: {
    ...{ clientId: id, redirectUri, codeChallenge: 'c'.repeat(43) },
    ...{ state: '\0'.repeat(STATE_CHARS_MAX), scopes: AGENT_SCOPES },
  },
  // Links and addresses in a name are made harmless, which at most doubles it, and a sign of it has up to three bytes.
  client: {
    id,
    name: '\\'.repeat(3 * NAME_CHARS_MAX),
    redirectUris: Array(REDIRECT_URIS_MAX).fill(redirectUri),
    host: id,
  },
  until: Number.MAX_SAFE_INTEGER,
}
export const SEALED_CHARS_MAX = sealedCharsMax(JSON.stringify(LONGEST).length)

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
