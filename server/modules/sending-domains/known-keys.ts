import type { Transaction } from '../../platform/db/transaction.ts'
import { dkimRecordOf } from './dns-records.ts'
import { keysOfDomainNamedStatement } from './queries.ts'

/** A key as it is to be published, and whether it was found where it belongs. */
export type KnownKey = { host: string; value: string; verified: boolean }

/** Every DKIM key that a workspace has for a domain, whether or not the world can look it up. */
export async function knownKeys(tx: Transaction, workspaceId: string, domain: string): Promise<KnownKey[]> {
  const { rows } = await tx.query(keysOfDomainNamedStatement(workspaceId, domain))
  return rows.map((key) => {
    const { host, value } = dkimRecordOf(domain, key)
    return { host, value, verified: key.verifiedAt !== null }
  })
}
