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
    const page = (at: string) => `order by ${at}.id desc limit $4`
    const found = await tx.query<ContactRun>({
      name: 'runs_of_contact',
      text: `select f.id, f.automation_id as "automationId", a.name as "automationName", f.version, f.state, f.reason,
          nullif(f.node, '') as node, f.entered_at as "enteredAt", f.due_at as "dueAt", f.ended_at as "endedAt", f.error
        from (
          (select r.id, r.automation_id, r.version, r.state, null::text as reason, r.node, r.entered_at,
            postroom_put_off(r.workspace_id, r.automation_id, r.pauses, q.due_at) as due_at,
            null::timestamptz as ended_at, r.error
          from runs r left join lateral ${TIMER_OF_RUN} q on true
          where r.workspace_id = $1 and r.contact_id = $2 and r.id < $3 ${page('r')})
          union all
          (select e.id, e.automation_id, e.version, e.state, e.reason, e.node, e.entered_at, null, e.ended_at, null
          from ended_runs e where e.workspace_id = $1 and e.contact_id = $2 and e.id < $3 ${page('e')})) f
        join automations a on a.workspace_id = $1 and a.id = f.automation_id and a.deleted_at is null ${page('f')}`,
      values: [workspaceId, contactId, beforeId, limit + 1],
    })
    return found.rows
  })
  const items = rows.slice(0, limit)
  return { items, ...(rows.length > limit ? { nextCursor: cursors.encode([items.at(-1)!.id]) } : {}) }
}
