import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
/** NIST SP 800-38D section 8.2.2: random 96-bit nonces, good for 2^32 messages under one key. */
const NONCE_BYTES = 12
/** Never left to the caller: a decipher without a fixed length accepts tags as short as four bytes. */
const TAG_BYTES = 16
const KEY_ID_CHARS_MAX = 16
const KEY_ID = /^[a-z0-9]{1,16}$/

/** Keys by their id. New secrets are sealed under `current`; the others open what was sealed before a rotation. */
export type SecretKeys = { current: string; keys: ReadonlyMap<string, Buffer> }

/** Encrypts a secret so that it opens only in the row and column it was sealed for. */
export type SecretBox = {
  seal(secret: string, row: string): string
  open(sealed: string, row: string): string
}

/** `sealSecret` and `openSecret` with the instance's keys, for who needs no more than that. */
export function secretBox(keys: SecretKeys): SecretBox {
  return {
    seal: (secret, row) => sealSecret(secret, keys, row),
    open: (sealed, row) => openSecret(sealed, keys, row),
  }
}

/** Checks and collects keys, the current one first. Throws when a key is not 32 bytes or an id is used twice. */
export function secretKeys(keys: readonly { id: string; key: Buffer }[]): SecretKeys {
  const [current] = keys
  if (current === undefined) throw new Error('at least one encryption key is needed')
  const byId = new Map<string, Buffer>()
  for (const { id, key } of keys) {
    if (!KEY_ID.test(id) || byId.has(id)) throw new Error(`encryption key id ${id} is malformed or used twice`)
    if (key.length !== KEY_BYTES) throw new Error(`encryption key ${id} is not ${KEY_BYTES} bytes long`)
    byId.set(id, key)
  }
  return { current: current.id, keys: byId }
}

/**
 * Encrypts a secret for one place: `identity` names the workspace, table, row and column, and only the same identity opens
 * the box again, so that a box copied to another row is useless. Answers `keyId.base64url(nonce, ciphertext, tag)`.
 */
export function sealSecret(secret: string, keys: SecretKeys, identity: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, keys.keys.get(keys.current)!, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associatedData(keys.current, identity))
  const box = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${keys.current}.${box.toString('base64url')}`
}

/** How long a box is at most that holds so many bytes. */
export function sealedCharsMax(secretBytes: number): number {
  return KEY_ID_CHARS_MAX + 1 + Math.ceil(((NONCE_BYTES + secretBytes + TAG_BYTES) * 4) / 3)
}

/** Decrypts a box. Throws when its key is not among ours, it was changed, or it belongs to another identity. */
export function openSecret(box: string, keys: SecretKeys, identity: string): string {
  const [keyId = '', content = ''] = box.split('.', 2)
  const key = keys.keys.get(keyId)
  if (key === undefined)
    throw new Error(`a secret is sealed under the encryption key ${keyId}, which is not configured`)
  const bytes = Buffer.from(content, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('a sealed secret is too short to be one')
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associatedData(keyId, identity))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(`the sealed secret of ${identity} was changed or belongs elsewhere`, { cause })
  }
}

/** Whether a box is due to be sealed again because the key was rotated since. */
export function isSealedUnderOldKey(box: string, keys: SecretKeys): boolean {
  return !box.startsWith(`${keys.current}.`)
}

/** The secret sealed under the current key when the key was rotated since; undefined when it need not be. */
export function renewSecret(box: string, keys: SecretKeys, identity: string): string | undefined {
  return isSealedUnderOldKey(box, keys) ? sealSecret(openSecret(box, keys, identity), keys, identity) : undefined
}

function associatedData(keyId: string, identity: string): Buffer {
  return Buffer.from(`${keyId}\0${identity}`)
}
