import { textArray } from '../../platform/db/arrays.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import type { PacedIntegration } from './queries.ts'

const BACKOFF_FIRST_SECONDS = 60
const BACKOFF_MAX_SECONDS = HOUR_SECONDS
/** Asked again within this time after the end of a back-off, a domain is left alone for twice as long. */
const REMEMBERED_SECONDS = HOUR_SECONDS
/** Far beyond the longest back-off. */
const TIMES_MAX = 20

/**
 * Leaves a receiver's domain alone for a while, through this integration: a minute, and twice as long each time it asks
 * for it again, up to an hour. Answers to messages that were under way together count once.
 */
export async function backOff(
  tx: Transaction,
  { workspaceId, integrationId, domain }: PacedIntegration & { domain: string },
): Promise<void> {
  await tx.query({
    name: 'back_off_domain',
    text: `insert into domain_backoffs as b (workspace_id, integration_id, domain, until, times)
      select i.workspace_id, i.id, $3, now() + make_interval(secs => $4), 1 from integrations i
      where i.workspace_id = $1 and i.id = $2
      on conflict (workspace_id, integration_id, domain) do update set
        times = case when b.until < now() - make_interval(secs => $6) then 1 else least(b.times + 1, $7) end,
        until = now() + make_interval(secs =>
          case when b.until < now() - make_interval(secs => $6) then $4 else least($5, $4 * power(2, b.times)) end)
      where b.until <= now()`,
    values: [
      ...[workspaceId, integrationId, domain, BACKOFF_FIRST_SECONDS, BACKOFF_MAX_SECONDS],
      ...[REMEMBERED_SECONDS, TIMES_MAX],
    ],
  })
}

/** Of one integration; those that last longest are heeded first. */
const ACTIVE_BACKOFFS_MAX = 10_000

/** The domains that are left alone now, and until when (RFC 3339). */
export async function activeBackoffs(
  tx: Transaction,
  workspaceId: string,
  integrationId: string,
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ domain: string; until: string }>({
    name: 'active_domain_backoffs',
    text: `select domain, until from domain_backoffs
      where workspace_id = $1 and integration_id = $2 and until > now() order by until desc limit $3`,
    values: [workspaceId, integrationId, ACTIVE_BACKOFFS_MAX],
  })
  return new Map(rows.map(({ domain, until }) => [domain, until]))
}

/** A message to the domain was taken: the next back-off is a short one again. */
export async function clearBackoffs(
  tx: Transaction,
  workspaceId: string,
  integrationId: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return
  await tx.query({
    name: 'clear_domain_backoffs',
    text: `delete from domain_backoffs
      where workspace_id = $1 and integration_id = $2 and domain = any ($3::text[])`,
    values: [workspaceId, integrationId, textArray(domains)],
  })
}

/** Removes back-offs that make no difference any more. Run on a schedule, for every workspace. */
export async function pruneBackoffs(db: Queryable): Promise<void> {
  await db.query('delete from domain_backoffs where until < now() - make_interval(secs => $1)', [REMEMBERED_SECONDS])
}
