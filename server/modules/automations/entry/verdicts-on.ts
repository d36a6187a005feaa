import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { int8Array } from '../../../platform/db/arrays.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import type { Enrolled } from '../schemas.ts'
import { KEY_CHARS_MAX } from './decide-entries.ts'

const LOOK_EVERY_MS = 50

type Asked = { contactIds: readonly string[]; at: string; entryKey: string | undefined; forMs: number }
type Verdicts = NonNullable<Enrolled['verdicts']>

/** The verdicts on contacts who were put into the queue at a moment, as turns write them down, after `forMs` at the latest. */
export async function verdictsOn(
  sql: pg.Pool,
  { workspaceId, automationId }: { workspaceId: string; automationId: string },
  { contactIds, at, entryKey = '', forMs }: Asked,
): Promise<Verdicts> {
  if (contactIds.length === 0) return []
  const until = performance.now() + forMs
  for (;;) {
    const verdicts = await queryInScope<Verdicts[number]>(sql, workspaceId, {
      name: 'verdicts_on_enrolled',
      text: VERDICTS,
      values: [workspaceId, automationId, int8Array(contactIds), entryKey.slice(0, KEY_CHARS_MAX), at],
    })
    const isOver = performance.now() + LOOK_EVERY_MS > until
    if (isOver || verdicts.every(({ verdict }) => verdict !== 'waiting')) return verdicts
    await pause(LOOK_EVERY_MS)
  }
}

/** The ledger keeps the last verdict of each contact and key, with the moment of what it was on. */
const VERDICTS = `select g.contact_id as "contactId",
    case when e.entered_at >= $5::timestamptz then 'entered' when e.refused_at >= $5::timestamptz then 'refused'
      else 'waiting' end as verdict,
    case when coalesce(e.entered_at < $5::timestamptz, true) and e.refused_at >= $5::timestamptz then e.refusal end as reason
  from unnest($3::int8[]) with ordinality as g(contact_id, n)
  left join enrollments e on e.workspace_id = $1 and e.automation_id = $2 and e.contact_id = g.contact_id and e.entry_key = $4
  order by g.n`
