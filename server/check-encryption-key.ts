import type pg from 'pg'
import { openSecret, renewSecret, type SecretKeys, sealSecret } from './platform/crypto/secret-box.ts'

/** The encryption key is not that of the database, in one line. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError'
}

const CHECKED = 'postroom'
const ROW = 'installation/key_check'

/** Whether anything was ever sealed for this database: its key is known then, and no other will do. */
export async function hasSealed(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ isSealed: boolean }>(
    'select key_check is not null as "isSealed" from installation',
  )
  return rows[0]!.isSealed
}

/**
 * Makes sure that this process opens the secrets of the database, and that others will open its own: a word that the first
 * process has sealed opens only under the same keys. It is sealed anew when a new key stands in front of the old one. Throws
 * an `EncryptionKeyError` for any other key, which names `source`, where it comes from.
 */
export async function checkEncryptionKey(pool: pg.Pool, keys: SecretKeys, source = 'ENCRYPTION_KEY'): Promise<void> {
  await pool.query('update installation set key_check = $1 where key_check is null', [sealSecret(CHECKED, keys, ROW)])
  const { rows } = await pool.query<{ sealed: string }>('select key_check as sealed from installation')
  const { sealed } = rows[0]!
  openKeyCheck(sealed, keys, `${source} is not the key of this database`)
  const renewed = renewSecret(sealed, keys, ROW)
  if (renewed === undefined) return
  await pool.query('update installation set key_check = $2 where key_check = $1', [sealed, renewed])
}

/** Throws an `EncryptionKeyError`, which begins with `fault`, unless the keys open the word that was sealed with a database's. */
export function openKeyCheck(sealed: string, keys: SecretKeys, fault: string): void {
  try {
    openSecret(sealed, keys, ROW)
  } catch (cause) {
    throw new EncryptionKeyError(
      `${fault}: what is kept encrypted in it could not be read. Give the key that it was started with, or its new key in front of that one`,
      { cause },
    )
  }
}
