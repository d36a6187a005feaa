import type { Transaction } from '../../platform/db/transaction.ts'
import { FILL_BLANKS } from './record-consents.ts'

/**
 * Gives a contact what is known of another's consent, before the other is merged into it: nothing that is known of itself
 * is overwritten, and a consent that we have seen confirmed stays one.
 */
export async function moveConsent(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_consent',
    text: `with history as (
        update consent_changes set contact_id = $3 where workspace_id = $1 and contact_id = $2
      ), moved as (delete from contact_consents where workspace_id = $1 and contact_id = $2 returning *)
      insert into contact_consents as c
        (workspace_id, contact_id, provenance, opted_in_at, opt_in_ip, confirmed_at, confirm_ip, created_at)
      select workspace_id, $3, provenance, opted_in_at, opt_in_ip, confirmed_at, confirm_ip, created_at from moved
      on conflict (workspace_id, contact_id) do update set ${FILL_BLANKS}`,
    values: [workspaceId, fromId, toId],
  })
}
