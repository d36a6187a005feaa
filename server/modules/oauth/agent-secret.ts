import { createHmac, hash, type KeyObject } from 'node:crypto'
import { randomText, textOfBytes, withChecksum } from '../../platform/crypto/base62.ts'

/** `code`: for the client to fetch the first pair of the others with. */
export type SecretKind = 'code' | 'access' | 'refresh'

const PREFIX: Readonly<Record<SecretKind, string>> = { code: 'poc_', access: 'poa_', refresh: 'por_' }
const SECRET_CHARS = 40

export type AgentSecret = { secret: string; hash: Buffer }

/** A secret of an agent (238 random bits and a checksum, by whose prefix scanners know it), and its stored form. */
export function makeAgentSecret(kind: SecretKind): AgentSecret {
  return agentSecretOf(kind, randomText(SECRET_CHARS))
}

/**
 * The secret that follows on a refresh token: always the same one, so that an answer that was lost can be given again though
 * nobody has kept it. Without our key nobody can tell it, not even by the token.
 */
export function followingSecret(kind: SecretKind, refresh: string, key: KeyObject): AgentSecret {
  return agentSecretOf(kind, textOfBytes(createHmac('sha512', key).update(`${kind} ${refresh}`).digest(), SECRET_CHARS))
}

function agentSecretOf(kind: SecretKind, text: string): AgentSecret {
  const secret = withChecksum(`${PREFIX[kind]}${text}`)
  return { secret, hash: agentSecretHash(secret) }
}

/** SHA-256, as of API tokens: there is nothing to guess. */
export function agentSecretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
