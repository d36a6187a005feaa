import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import type { PersonalDataDeps } from './deps.ts'
import { erasePerson } from './erase-person.ts'

/** The contact and those that were merged into it, and how the aliases are recognised (hexadecimal). */
export type LostErasure = { contactIds: readonly string[]; aliasHashes: readonly string[] }

/**
 * Erases a person again whom a restored database knows once more: every contact that they were, which the backup may not
 * have known to be one, and what was recorded under their aliases. False when the erasure is known.
 */
export async function eraseAgain(
  deps: PersonalDataDeps,
  caller: Caller,
  { contactIds, aliasHashes }: LostErasure,
): Promise<boolean> {
  const { workspaceId, actor } = caller
  const [known] = await queryInScope<{ isKnown: boolean; exists: boolean; present: string[] }>(deps.sql, workspaceId, {
    name: 'erasure_again',
    text: `select exists (select from workspaces where id = $1) as exists,
        exists (select from erasures where workspace_id = $1 and contact_id = $2) as "isKnown",
        array(select id::text from contacts where workspace_id = $1 and id = any ($3::int8[]) order by id) as present`,
    values: [workspaceId, contactIds[0], int8Array(contactIds)],
  })
  if (known === undefined || !known.exists || (known.isKnown && known.present.length === 0)) return false
  for (const id of known.present) await erasePerson(deps, caller, { id })
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'insert_erasure_again',
      text: `insert into erasures (workspace_id, contact_id, contact_ids, alias_hashes, aliases, actor_kind, actor_id)
        select $1, $2, $3::int8[], array(select decode(h, 'hex') from unnest($4::text[]) h),
          '{"subjectId": null, "email": null, "phone": null}', $5, $6
        on conflict (workspace_id, contact_id) do nothing`,
      values: [workspaceId, contactIds[0], int8Array(contactIds), textArray(aliasHashes), actor.kind, actor.id],
    })
    if (rowCount === 1) await deps.enqueueSweep(tx, workspaceId)
  })
  return true
}
