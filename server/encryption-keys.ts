import { createHash, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SecretKeys, secretKeys } from './platform/crypto/secret-box.ts'
import { errorCode } from './platform/db/errors.ts'
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

/** The key kept beside an embedded database, made at the first start. */
export async function keptEncryptionKey(dataDir: string): Promise<Secret> {
  const path = join(dataDir, KEY_FILE)
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
    if (errorCode(error) !== 'EEXIST') throw error
    return new Secret((await readFile(path, 'utf8')).trim())
  }
}
