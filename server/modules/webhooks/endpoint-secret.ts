import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** How long the secret before a rotation keeps signing. */
export const ROTATION_OVERLAP_HOURS = 24

/** A new signing secret: `whsec_` and base64. */
export function newEndpointSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Standard Webhooks, and the decisions: 24 to 64 bytes. */
const GIVEN_BYTES = { min: 24, max: 64 }

/** Why a secret of the caller's own making cannot be one; undefined when it can. */
export function secretFault(secret: string): string | undefined {
  const base64 = secret.slice(PREFIX.length)
  const bytes = Buffer.from(base64, 'base64')
  const isWritten = secret.startsWith(PREFIX) && bytes.toString('base64') === base64
  if (isWritten && bytes.length >= GIVEN_BYTES.min && bytes.length <= GIVEN_BYTES.max) return undefined
  return `must be whsec, an underscore and base64 of ${GIVEN_BYTES.min} to ${GIVEN_BYTES.max} random bytes`
}

/** The key a secret stands for. */
export function keyOfSecret(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}
