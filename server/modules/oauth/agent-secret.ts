import { hash } from 'node:crypto'
import { randomText, withChecksum } from '../../platform/crypto/base62.ts'

/** `code`: for the client to fetch the first pair of the others with. */
export type SecretKind = 'code' | 'access' | 'refresh'

const PREFIX: Readonly<Record<SecretKind, string>> = { code: 'poc_', access: 'poa_', refresh: 'por_' }
const SECRET_CHARS = 40

/** A secret of an agent (238 random bits and a checksum, by whose prefix scanners know it), and its stored form. */
export function makeAgentSecret(kind: SecretKind): { secret: string; hash: Buffer } {
  const secret = withChecksum(`${PREFIX[kind]}${randomText(SECRET_CHARS)}`)
  return { secret, hash: agentSecretHash(secret) }
}

/** SHA-256, as of API tokens: there is nothing to guess. */
export function agentSecretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
