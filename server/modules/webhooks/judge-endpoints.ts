import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { recordSystemAudit } from '../audit/record-audit.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import { auditSwitchedOff, type DisabledEndpoint } from './record-attempts.ts'

/** An endpoint that gives nothing but failures is switched off after five days, with warnings after one and four. */
export const DISABLE_AFTER_FAILING_DAYS = 5
export const WARN_AFTER_FAILING_DAYS: readonly number[] = [1, 4]
export const JUDGE_EVERY_SECONDS = 60

/** Warns about and in the end switches off endpoints that have only failed for days. Run on a schedule. */
export async function judgeEndpoints(pool: pg.Pool): Promise<{ disabled: number; warned: number }> {
  return inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const disabled = await tx.query<DisabledEndpoint>(
      `update webhook_endpoints e set enabled = false, disabled_reason = 'failing', updated_at = now()
       from webhook_lanes l
       where l.workspace_id = e.workspace_id and l.endpoint_id = e.id and e.enabled
         and l.failing_since < now() - make_interval(days => $1)
       returning e.workspace_id as "workspaceId", e.id as "endpointId", e.url`,
      [DISABLE_AFTER_FAILING_DAYS],
    )
    for (const endpoint of disabled.rows) await auditSwitchedOff(tx, endpoint, 'failing')
    const warned = await tx.query<DisabledEndpoint & { days: number }>(
      `update webhook_lanes l set warnings = l.warnings + 1
       from webhook_endpoints e
       where e.workspace_id = l.workspace_id and e.id = l.endpoint_id and e.enabled
         and l.failing_since < now() - make_interval(days => ($1::int[])[l.warnings + 1])
       returning e.workspace_id as "workspaceId", e.id as "endpointId", e.url, ($1::int[])[l.warnings] as days`,
      [WARN_AFTER_FAILING_DAYS],
    )
    for (const { days, ...endpoint } of warned.rows) {
      await recordSystemAudit(tx, endpoint.workspaceId, {
        action: 'webhook_endpoint.warn',
        target: auditedEndpoint({ id: endpoint.endpointId, url: endpoint.url }),
        diff: { failingDays: { from: null, to: days } },
      })
    }
    return { disabled: disabled.rows.length, warned: warned.rows.length }
  })
}
