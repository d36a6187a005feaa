import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { forgetAnswerRows } from './queries.ts'

/**
 * Forgets the recorded answers of requests that took effect on these targets, for instance because a person is erased.
 * A repeat is told that its answer is not known.
 */
export async function forgetAnswers(
  tx: Transaction,
  workspaceId: string,
  target: { type: string; ids: readonly string[] },
): Promise<void> {
  await forgetAnswerRows(tx, workspaceId, { type: target.type, ids: textArray(target.ids) })
}

/**
 * Forgets the recorded answers of requests that changed nothing, such as previews, which may show anybody: looks at the
 * next keys behind one, in hex. A repeat is carried out again, as the same request. Returns the last key it has looked
 * at, undefined at the end.
 */
export async function forgetShownAnswers(
  tx: Transaction,
  workspaceId: string,
  { after, rows: limit }: { after: string; rows: number },
): Promise<string | undefined> {
  const { rows } = await tx.query<{ last: string; seen: string }>({
    name: 'forget-shown-answers',
    text: `with stretch as materialized (
             select key_hash, not took_effect and status between 200 and 299 and answer is not null as shown
             from idempotency_keys where workspace_id = $1 and key_hash > decode($2, 'hex') order by key_hash limit $3
           ), forgotten as (
             update idempotency_keys set status = null, answer = null, leased_until = now()
             where workspace_id = $1 and key_hash = any (array(select key_hash from stretch where shown))
               and not took_effect and status between 200 and 299
           )
           select encode(key_hash, 'hex') as last, count(*) over () as seen from stretch order by key_hash desc limit 1`,
    values: [workspaceId, after, limit],
  })
  const [last] = rows
  return last && Number(last.seen) === limit ? last.last : undefined
}
