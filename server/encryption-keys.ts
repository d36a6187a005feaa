import { createHash, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { EncryptionKeyError, hasSealed } from './check-encryption-key.ts'
import { type SecretKeys, secretKeys } from './platform/crypto/secret-box.ts'
import { errorCode } from './platform/db/errors.ts'
import { refusalOf } from './platform/postgres/start-error.ts'
import { Secret } from './platform/telemetry/secret.ts'

const KEY_FILE = 'encryption.key'
const KEY_BYTES = 32

/** The keys of a setting: base64, separated by commas, the first one seals. A key's id is the head of its hash. */
export function keysOf(setting: Secret): SecretKeys {
  return secretKeys(
    setting
      .reveal()
      .split(',')
      .map((text) => Buffer.from(text.trim(), 'base64'))
      .map((key) => ({ id: createHash('sha256').update(key).digest('hex').slice(0, 12), key })),
  )
}

/**
 * The keys of the settings, or the one kept beside an embedded database. That one is made at the first start and never again:
 * a new key would open nothing of what the database has. Throws an `EncryptionKeyError` where it is gone.
 */
export async function keysFor(
  { encryptionKey, dataDir }: { encryptionKey: Secret | undefined; dataDir: string },
  sql: pg.Pool,
): Promise<SecretKeys> {
  if (encryptionKey !== undefined) return keysOf(encryptionKey)
  const path = join(dataDir, KEY_FILE)
  const kept = await readKey(path)
  if (kept !== undefined) return keysOf(kept)
  if (await hasSealed(sql)) {
    throw new EncryptionKeyError(
      `${path} is missing: put it back, or set ENCRYPTION_KEY to what was in it; what is kept encrypted in the database cannot be read without it`,
    )
  }
  return keysOf((await makeKey(path)) ?? (await readKey(path))!)
}

/** The place that the keys of `keysFor` come from, for whoever has to correct it: the setting, or the file. */
export function keySourceOf({
  encryptionKey,
  dataDir,
}: {
  encryptionKey: Secret | undefined
  dataDir: string
}): string {
  return encryptionKey === undefined ? join(dataDir, KEY_FILE) : 'ENCRYPTION_KEY'
}

/** Undefined when there is none. Throws an `EncryptionKeyError` for a file that cannot be read, or holds no key. */
async function readKey(path: string): Promise<Secret | undefined> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new EncryptionKeyError(`${path} cannot be read: ${refusalOf({ code: cause.code }) ?? cause.message}`, {
      cause,
    })
  })
  if (text === undefined) return undefined
  if (Buffer.from(text.trim(), 'base64').length === KEY_BYTES) return new Secret(text.trim())
  throw new EncryptionKeyError(`${path} is damaged: it must hold base64 of ${KEY_BYTES} bytes`)
}

/** Undefined when another process has just made one. */
async function makeKey(path: string): Promise<Secret | undefined> {
  const made = randomBytes(KEY_BYTES).toString('base64')
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${made}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return new Secret(made)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

/** The keys of the settings, or the one kept in the data directory; undefined where there is none. Makes none. */
export async function existingKeys(config: {
  encryptionKey: Secret | undefined
  dataDir: string
}): Promise<SecretKeys | undefined> {
  const key = config.encryptionKey ?? (await readKey(join(config.dataDir, KEY_FILE)))
  return key && keysOf(key)
}
