import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { isUnderAttack } from './form-rate.ts'
import { submissionsTotalStatement } from './list-submissions.ts'
import { type FormDeps, readForm } from './manage-forms.ts'
import type { FormStats } from './schemas.ts'

type Row = { day: string; outcome: string; total: string }
/** Sums that are told by themselves; every other outcome is a reason why nothing came of a submission. */
const TOLD = ['submitted', 'mailed', 'confirmed', 'expired', 'not_me'] as const

/** How a form has fared in the last days, today's with them, by the sums that are kept as it happens. Throws 404. */
export async function formStats(
  deps: FormDeps & { now: () => number },
  workspaceId: string,
  { id, days }: { id: string; days: number },
): Promise<FormStats> {
  const nowMs = deps.now()
  const firstMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
  const from = new Date(firstMs).toISOString()
  const [, underAttack, [pending], rows] = await Promise.all([
    readForm(deps, workspaceId, id),
    inTransaction(deps.sql, workspaceId, (tx) => isUnderAttack(tx, workspaceId, { formId: id, nowMs })),
    queryInScope(deps.sql, workspaceId, submissionsTotalStatement(workspaceId, { id, state: 'pending' })),
    queryInScope<Row>(deps.sql, workspaceId, {
      name: 'form_stats',
      text: `select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, outcome, sum(total)::bigint as total from form_hours
        where workspace_id = $1 and form_id = $2 and hour >= $3 group by 1, 2 order by 1, 2`,
      values: [workspaceId, id, from],
    }),
  ])
  const total = (outcome: string, day?: string) =>
    rows
      .filter((row) => row.outcome === outcome && (day === undefined || row.day === day))
      .reduce((sum, row) => sum + Number(row.total), 0)
  const others = [...new Set(rows.map(({ outcome }) => outcome))].filter((one) => !TOLD.includes(one as never)).sort()
  return {
    ...{ from, to: new Date(nowMs).toISOString() },
    ...{ submitted: total('submitted'), mailed: total('mailed'), confirmed: total('confirmed') },
    waiting: Number(pending?.total ?? 0),
    ...{ expired: total('expired'), notMe: total('not_me') },
    underAttack,
    refused: others.map((reason) => ({ reason, total: total(reason) })),
    days: Array.from({ length: days }, (_, n) => {
      const day = new Date(firstMs + n * DAY_MS).toISOString().slice(0, 10)
      return { day, submitted: total('submitted', day), confirmed: total('confirmed', day) }
    }),
  }
}
