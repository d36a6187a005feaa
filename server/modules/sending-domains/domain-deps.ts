import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { DomainKey } from './queries.ts'

/** Keeps private keys sealed. `renew`: the secret sealed anew when ENCRYPTION_KEY was rotated since, else undefined. */
export type KeyBox = SecretBox & { renew(sealed: string, row: string): string | undefined }

/** Dependencies of the operations on sending domains. */
export type DomainDeps = {
  sql: pg.Pool
  keyBox: KeyBox
  /** Puts a `verify_domain` job into the queue, in the caller's transaction. */
  enqueueCheck: (tx: Transaction, key: DomainKey) => Promise<void>
}
