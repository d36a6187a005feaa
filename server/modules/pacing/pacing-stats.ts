import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'

export type PacingStats = {
  /** Integrations whose provider said "too fast" within the last minute. */
  slowedIntegrations: number
  /** Receivers' domains that nothing goes to for a while. */
  backedOffDomains: number
}

/** How far sending is slowed down from outside, over all workspaces. */
export async function pacingStats(pool: pg.Pool): Promise<PacingStats> {
  const rows = await queryInScope<PacingStats>(pool, ALL_WORKSPACES, {
    name: 'pacing_stats',
    text: `select
      (select count(*)::int from send_paces where slowed_at > now() - interval '1 minute') as "slowedIntegrations",
      (select count(*)::int from domain_backoffs where until > now()) as "backedOffDomains"`,
  })
  return rows[0]!
}
