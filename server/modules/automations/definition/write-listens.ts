import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Listen } from './listens.ts'
import type { AutomationKey } from './queries.ts'

type VersionKey = AutomationKey & { version: number }

/** SQL: the last transaction in the log by now. A row that is written after the commit of whoever reads it is of a later one. */
const LOG_END = '(select coalesce(max(tx), 0) from outbox)'

/**
 * Only the version in force brings people in; what concerns those inside holds for every version. A trigger that the version
 * before had as well goes on: what has happened since it began and is not read yet still brings people in.
 */
export async function writeListens(tx: Transaction, key: VersionKey, listens: readonly Listen[]): Promise<void> {
  await tx.query({
    name: 'write_automation_listens',
    text: `with dropped as (
        delete from automation_listens where workspace_id = $1 and automation_id = $2 and kind = 'entry' returning name, since_tx
      )
      insert into automation_listens (workspace_id, name, automation_id, version, kind, node, way, match, filtered, since_tx)
      select $1, name, $2, $3, kind, node, way, match::jsonb, filtered::boolean,
        case when kind = 'entry' then coalesce((select min(since_tx) from dropped d where d.name = l.name), ${LOG_END}) else 0 end
      from unnest($4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::text[])
        as l(name, kind, node, way, match, filtered)`,
    values: [
      ...[key.workspaceId, key.id, key.version],
      textArray(listens.map(({ name }) => name)),
      textArray(listens.map(({ kind }) => kind)),
      textArray(listens.map(({ node }) => node)),
      int8Array(listens.map(({ way }) => String(way))),
      textArray(listens.map(({ match }) => (match === null ? null : JSON.stringify(match)))),
      textArray(listens.map(({ filtered }) => String(filtered))),
    ],
  })
}

/** Nothing that happens concerns an automation any more whose people all leave. */
export async function dropListens(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'drop_automation_listens',
    text: 'delete from automation_listens where workspace_id = $1 and automation_id = $2',
    values: [workspaceId, id],
  })
}
