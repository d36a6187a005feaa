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

/** The key a secret stands for. */
export function keyOfSecret(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}
