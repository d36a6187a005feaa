import { textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Unsubscribe } from './schemas.ts'
import { automationIdOf } from './source-ids.ts'

const UNSUBSCRIBE = `u.id, u.destination, u.sending_source as "sendingSource", u.message_id as "messageId",
  u.created_at as "createdAt"`

/** Only the filter in use stands in the statement, so that it finds its index. */
function conditionsOf(workspaceId: string, destination: string | undefined) {
  return destination === undefined
    ? { where: 'workspace_id = $1', values: [workspaceId] as unknown[] }
    : { where: 'workspace_id = $1 and destination = $2', values: [workspaceId, destination] as unknown[] }
}

/** A page of unsubscribes; those before it are passed over in an index alone. */
export function unsubscribesPageStatement(
  workspaceId: string,
  destination: string | undefined,
  page: PageQuery,
): Statement<Unsubscribe> {
  const { where, values } = conditionsOf(workspaceId, destination)
  const limit = `limit $${values.push(page.pageSize)} offset $${values.push(rowsBefore(page))}`
  return {
    text: `select ${UNSUBSCRIBE} from (select id from unsubscribes where ${where} order by id ${limit}) page
      cross join lateral (select * from unsubscribes u where u.workspace_id = $1 and u.id = page.id offset 0) u
      order by u.id`,
    values,
  }
}

export function unsubscribesTotalStatement(
  workspaceId: string,
  destination: string | undefined,
): Statement<{ total: string }> {
  if (destination === undefined) {
    return {
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'unsubscribes'`,
      values: [workspaceId],
    }
  }
  const { where, values } = conditionsOf(workspaceId, destination)
  return { text: `select count(*) as total from unsubscribes where ${where}`, values }
}

export type NewUnsubscribe = Pick<Unsubscribe, 'destination' | 'sendingSource' | 'messageId'>

/** Whether a source that mail may come from is one of the workspace. A deleted automation is so still; a topic is not. */
export async function isSource(tx: Transaction, workspaceId: string, sendingSource: string): Promise<boolean> {
  const [kind, id] = sendingSource.split(':')
  if (id === undefined) return true
  const { rowCount } = await tx.query({
    name: 'is_source_of_workspace',
    text: `select from automations where $2 = 'automation' and workspace_id = $1 and id = $3
      union all select from topics where $2 = 'topic' and workspace_id = $1 and id = $3`,
    values: [workspaceId, kind, id],
  })
  return rowCount !== 0
}

export async function insertUnsubscribe(
  tx: Transaction,
  workspaceId: string,
  { destination, sendingSource, messageId }: NewUnsubscribe,
): Promise<{ row: Unsubscribe; isNew: boolean }> {
  const { rows: made } = await tx.query<Unsubscribe>({
    name: 'insert_unsubscribe',
    text: `insert into unsubscribes as u (workspace_id, destination, sending_source, message_id) values ($1, $2, $3, $4)
      on conflict (workspace_id, destination, sending_source) do nothing returning ${UNSUBSCRIBE}`,
    values: [workspaceId, destination, sendingSource, messageId],
  })
  if (made[0]) return { row: made[0], isNew: true }
  const { rows } = await tx.query<Unsubscribe>({
    name: 'unsubscribe_of_address',
    text: `select ${UNSUBSCRIBE} from unsubscribes u
      where u.workspace_id = $1 and u.destination = $2 and u.sending_source = $3`,
    values: [workspaceId, destination, sendingSource],
  })
  const [row] = rows
  // Taken back between the two statements: the caller's wish is the later one.
  return row ? { row, isNew: false } : insertUnsubscribe(tx, workspaceId, { destination, sendingSource, messageId })
}

export function unsubscribeByIdStatement(workspaceId: string, id: string): Statement<Unsubscribe> {
  return {
    name: 'unsubscribe_by_id',
    text: `select ${UNSUBSCRIBE} from unsubscribes u where u.workspace_id = $1 and u.id = $2`,
    values: [workspaceId, id],
  }
}

export async function unsubscribeForChange(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<Unsubscribe | undefined> {
  const { rows } = await tx.query<Unsubscribe>({
    name: 'unsubscribe_for_change',
    text: `select ${UNSUBSCRIBE} from unsubscribes u where u.workspace_id = $1 and u.id = $2 for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** Takes back what an address has unsubscribed from; returns the sources it had. */
export async function deleteUnsubscribes(
  tx: Transaction,
  workspaceId: string,
  { destination, sources }: { destination: string; sources: readonly string[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ source: string }>({
    name: 'delete_unsubscribes',
    text: `delete from unsubscribes where workspace_id = $1 and destination = $2 and sending_source = any ($3::text[])
      returning sending_source as source`,
    values: [workspaceId, destination, textArray(sources)],
  })
  return rows.map(({ source }) => source)
}

/** Notes that an address that wants no automated series wants one of them still; nothing where it wants them all. */
export async function keepAutomation(
  tx: Transaction,
  workspaceId: string,
  { destination, automationId }: { destination: string; automationId: string },
): Promise<void> {
  await tx.query({
    name: 'keep_automation',
    text: `update unsubscribes set kept_automations = kept_automations || $3::bigint
      where workspace_id = $1 and destination = $2 and sending_source = 'automations' and $3::bigint <> all (kept_automations)`,
    values: [workspaceId, destination, automationId],
  })
}

/** A yes to an automation ends with the no to it, or to everything. */
export async function endKept(
  tx: Transaction,
  workspaceId: string,
  { destination, sendingSource }: Pick<NewUnsubscribe, 'destination' | 'sendingSource'>,
): Promise<void> {
  const automationId = automationIdOf(sendingSource) ?? null
  if (automationId === null && sendingSource !== 'everything') return
  await tx.query({
    name: 'end_kept_automations',
    text: `update unsubscribes
      set kept_automations = case when $3::bigint is null then '{}' else array_remove(kept_automations, $3::bigint) end
      where workspace_id = $1 and destination = $2 and sending_source = 'automations' and kept_automations <> '{}'`,
    values: [workspaceId, destination, automationId],
  })
}

/** The contact that has an address now. */
export async function contactWithEmail(tx: Transaction, workspaceId: string, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'contact_with_email',
    text: 'select id from contacts where workspace_id = $1 and email = $2',
    values: [workspaceId, email],
  })
  return rows[0]?.id ?? null
}
