import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { DomainKey } from './queries.ts'

/** Ends a claim whose process died. Longer than a whole round of checks takes. */
const LEASE_SECONDS = 120

const CLAIM = `checking_until = now() + make_interval(secs => ${LEASE_SECONDS})`
const IS_FREE = '(checking_until is null or checking_until < now())'

/** The domains of all workspaces whose check is due, the least recently checked first. */
export const DUE_DOMAINS = `select workspace_id, id from sending_domains where next_check_at <= now() and ${IS_FREE}
  order by next_check_at limit $1`

/** Claims a domain for one check; `busy` while another check of it runs, `gone` when it does not exist. */
export async function claimDomain(tx: Queryable, { workspaceId, id }: DomainKey): Promise<'claimed' | 'busy' | 'gone'> {
  const { rows } = await tx.query<{ claimed: boolean }>({
    name: 'claim_sending_domain',
    text: `with claimed as (
        update sending_domains set ${CLAIM} where workspace_id = $1 and id = $2 and ${IS_FREE} returning id
      )
      select exists (select from claimed) as claimed from sending_domains where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  })
  const [row] = rows
  if (row === undefined) return 'gone'
  return row.claimed ? 'claimed' : 'busy'
}

/** Claims up to `most` of the domains that are due; answers them in no order. */
export async function claimDueDomains(tx: Queryable, most: number): Promise<DomainKey[]> {
  const { rows } = await tx.query<DomainKey>({
    name: 'claim_due_sending_domains',
    text: `update sending_domains d set ${CLAIM}
      from (${DUE_DOMAINS} for no key update skip locked) due
      where d.workspace_id = due.workspace_id and d.id = due.id
      returning d.workspace_id as "workspaceId", d.id`,
    values: [most],
  })
  return rows
}

/** Gives a claim back without a result; the domain is due as before. */
export async function releaseDomain(tx: Queryable, { workspaceId, id }: DomainKey): Promise<void> {
  await tx.query({
    name: 'release_sending_domain',
    text: 'update sending_domains set checking_until = null where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export type DomainOutcome = {
  spf: string
  dmarc: string
  relay: string | null
  returnPath: string | null
  hasChanged: boolean
  checkAfterSeconds: number
}

/** Stores the findings of a check, JSON text, and ends its claim. `hasChanged`: the resource is another one now. */
export async function recordDomainCheck(
  tx: Queryable,
  { workspaceId, id }: DomainKey,
  outcome: DomainOutcome,
): Promise<void> {
  await tx.query({
    name: 'record_sending_domain_check',
    text: `update sending_domains set spf_check = $3, dmarc_check = $4, relay_check = $7, return_path_check = $8,
        checking_until = null, next_check_at = now() + make_interval(secs => $5),
        updated_at = case when $6::boolean then now() else updated_at end
      where workspace_id = $1 and id = $2`,
    values: [
      workspaceId,
      id,
      outcome.spf,
      outcome.dmarc,
      outcome.checkAfterSeconds,
      outcome.hasChanged,
      outcome.relay,
      outcome.returnPath,
    ],
  })
}

export type KeyOutcome = { id: string; check: string; checkedAt: string; renewedPrivateKey: string | undefined }

export async function recordKeyChecks(tx: Queryable, workspaceId: string, keys: readonly KeyOutcome[]): Promise<void> {
  await tx.query({
    name: 'record_sending_domain_key_checks',
    text: `update sending_domain_keys k set check_result = given.result::jsonb, checked_at = given.checked_at::timestamptz,
        private_key = coalesce(given.private_key, k.private_key)
      from unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) as given (id, result, checked_at, private_key)
      where k.workspace_id = $1 and k.id = given.id`,
    values: [
      workspaceId,
      int8Array(keys.map(({ id }) => id)),
      textArray(keys.map(({ check }) => check)),
      textArray(keys.map(({ checkedAt }) => checkedAt)),
      textArray(keys.map(({ renewedPrivateKey }) => renewedPrivateKey ?? null)),
    ],
  })
}
