import type pg from 'pg'
import { badCursor, notFound } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { cursorsOf } from '../../../platform/schema/paging.ts'
import { contactsWithIds } from '../../contacts/contacts-with-ids.ts'
import { TIMER_OF_RUN } from '../run/run-state.ts'
import type { ContactRun } from './schemas.ts'

const RUNS_A_PAGE = 25
const ID_MAX = '9223372036854775807'

const cursors = cursorsOf('runs_of_contact', [/^[0-9]{1,19}$/])

type Page = { cursor?: string | undefined; limit?: number | undefined }

/** Runs of a contact in all automations, newest first, live and ended. Throws 404, 400 for a bad cursor. */
export async function runsOfContact(
  sql: pg.Pool,
  { workspaceId, contactId }: { workspaceId: string; contactId: string },
  { cursor, limit = RUNS_A_PAGE }: Page,
): Promise<{ items: ContactRun[]; nextCursor?: string }> {
  const [beforeId] = cursor === undefined ? [ID_MAX] : (cursors.decode(cursor) ?? [])
  if (beforeId === undefined) throw badCursor()
  const rows = await inTransaction(sql, workspaceId, async (tx) => {
    if ((await contactsWithIds(tx, workspaceId, [contactId])).length === 0) throw notFound()
    const page = 'order by id desc limit $4'
    const found = await tx.query<ContactRun>({
      name: 'runs_of_contact',
      text: `with there as (select id, name from automations where workspace_id = $1 and deleted_at is null)
        (select r.id, r.automation_id as "automationId", a.name as "automationName", r.version, r.state, null::text as reason,
          nullif(r.node, '') as node, r.entered_at as "enteredAt",
          postroom_put_off(r.workspace_id, r.automation_id, r.pauses, q.due_at) as "dueAt", null::timestamptz as "endedAt", r.error
        from runs r join there a on a.id = r.automation_id left join lateral ${TIMER_OF_RUN} q on true
        where r.workspace_id = $1 and r.contact_id = $2 and r.id < $3 ${page})
        union all
        (select e.id, e.automation_id, a.name, e.version, e.state, e.reason, nullif(e.node, ''), e.entered_at, null, e.ended_at, null
        from ended_runs e join there a on a.id = e.automation_id
        where e.workspace_id = $1 and e.contact_id = $2 and e.id < $3 ${page})
        ${page}`,
      values: [workspaceId, contactId, beforeId, limit + 1],
    })
    return found.rows
  })
  const items = rows.slice(0, limit)
  return { items, ...(rows.length > limit ? { nextCursor: cursors.encode([items.at(-1)!.id]) } : {}) }
}
