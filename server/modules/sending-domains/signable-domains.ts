import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Sending domains of a workspace among those named, and whether mail from each can be signed: by its key, or the one before. */
export async function signableDomains(
  tx: Pick<Transaction, 'query'>,
  workspaceId: string,
  domains: readonly string[],
): Promise<ReadonlyMap<string, 'verified' | 'unverified'>> {
  if (domains.length === 0) return new Map()
  const { rows } = await tx.query<{ domain: string; verified: boolean }>({
    name: 'signable_domains',
    text: `select d.domain, exists (
        select from sending_domain_keys k where k.workspace_id = $1 and k.domain_id = d.id
          and k.role in ('current', 'retiring') and k.verified_at is not null) as verified
      from sending_domains d where d.workspace_id = $1 and d.domain = any ($2::text[])`,
    values: [workspaceId, textArray(domains)],
  })
  return new Map(rows.map(({ domain, verified }) => [domain, verified ? 'verified' : 'unverified']))
}
