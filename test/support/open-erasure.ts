import type pg from 'pg'
import type { Caller } from '../../server/modules/auth/caller.ts'
import { erasePeople, lockPeople } from '../../server/modules/personal-data/erase-people.ts'
import { NO_FORMS } from './no-forms.ts'
import { openTransaction } from './open-transaction.ts'

/** An erasure that has done all but to commit. */
export function openErasure(pool: pg.Pool, caller: Caller, contactId: string) {
  const { workspaceId } = caller
  const deps = { forms: NO_FORMS, enqueueSweep: async () => undefined }
  return openTransaction(
    pool,
    async (tx) => {
      const locked = await lockPeople(deps, tx, { workspaceId, ids: [contactId] })
      await erasePeople(deps, tx, { ...locked, by: caller })
    },
    workspaceId,
  )
}
