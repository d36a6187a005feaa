import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import type { PersonalDataDeps } from './deps.ts'
import { erasePerson } from './erase-person.ts'

/** The contact and those that were merged into it, and how the aliases are recognised (hexadecimal). */
export type LostErasure = { contactIds: readonly string[]; aliasHashes: readonly string[] }

/**
 * Erases a person again whom a restored database knows once more: every contact that they were, which the backup may not
 * have known to be one, and what was recorded under their aliases. False when the database has erased all of that.
 */
export async function eraseAgain(deps: PersonalDataDeps, caller: Caller, lost: LostErasure): Promise<boolean> {
  const { workspaceId } = caller
  const [known] = await queryInScope<{ present: string[] }>(deps.sql, workspaceId, {
    name: 'contacts_to_erase_again',
    text: `select array(select c.id::text from contacts c where c.workspace_id = $1 and c.id = any ($2::int8[]) order by c.id) as present
      from workspaces where id = $1`,
    values: [workspaceId, int8Array(lost.contactIds)],
  })
  if (known === undefined) return false
  for (const id of known.present) await erasePerson(deps, caller, { id })
  const isWider = await uniteErasure(deps, caller, lost)
  return isWider || known.present.length > 0
}

/**
 * Notes an erasure of the journal, or adds what it knows to the one of the same contact, which then has to be swept for anew. A
 * sweep under way ends with what it began with.
 */
async function uniteErasure(
  deps: PersonalDataDeps,
  { workspaceId, actor }: Caller,
  { contactIds, aliasHashes }: LostErasure,
): Promise<boolean> {
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'unite_erasures',
      text: `insert into erasures as e (workspace_id, contact_id, contact_ids, alias_hashes, aliases, actor_kind, actor_id)
        select $1, $2, $3::int8[], array(select decode(h, 'hex') from unnest($4::text[]) h),
          '{"subjectId": null, "email": null, "phone": null}', $5, $6
        on conflict (workspace_id, contact_id) do update set
          contact_ids = array(select unnest(e.contact_ids) union select unnest(excluded.contact_ids) order by 1),
          alias_hashes = array(select unnest(e.alias_hashes) union select unnest(excluded.alias_hashes) order by 1),
          aliases = coalesce(e.aliases, excluded.aliases), state = 'pending', requested_at = now(), finished_at = null
        where not (e.contact_ids @> excluded.contact_ids and e.alias_hashes @> excluded.alias_hashes)`,
      values: [workspaceId, contactIds[0], int8Array(contactIds), textArray(aliasHashes), actor.kind, actor.id],
    })
    if (rowCount === 1) await deps.enqueueSweep(tx, workspaceId)
    return rowCount === 1
  })
}
