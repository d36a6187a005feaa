import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * Forms that were filled in in a browser and still wait bind it to nobody any more. Before the turn of the visitor is taken: whoever confirms
 * holds the submission first.
 */
export async function forgetBrowser(tx: Transaction, workspaceId: string, visitorId: string): Promise<void> {
  await tx.query({
    name: 'forget_browser_of_form_submissions',
    text: `with theirs as (
        select id from form_submissions where workspace_id = $1 and visitor_id = $2 order by id for update
      )
      update form_submissions s set visitor_id = null from theirs where s.workspace_id = $1 and s.id = theirs.id`,
    values: [workspaceId, visitorId],
  })
}
