import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Aliases } from '../../contacts/aliases.ts'
import { type DomainEvent, emitEvents, integer } from '../../domain-events/emit-events.ts'

/** Something that has become of a run. Moments are RFC 3339; `more` is what this type of event has besides. */
export type RunNews = {
  type: Extract<DomainEvent['type'], `automation.${string}`>
  automationId: string
  name: string
  version: number
  runId: string
  contactId: string
  entryKey: string
  enteredAt: string
  depth: number
  more: Record<string, unknown>
}

/**
 * Emits what has become of runs, in the transaction that makes it true. As with all that automations bring about, the cause says
 * how many have led to each other, so that those who listen to one another come to an end.
 */
export async function emitRunEvents(tx: Transaction, workspaceId: string, news: readonly RunNews[]): Promise<void> {
  if (news.length === 0) return
  const aliases = await aliasesOf(tx, workspaceId, [...new Set(news.map(({ contactId }) => contactId))])
  const events = news.flatMap((one) => {
    const known = aliases.get(one.contactId)
    return known ? [runEvent(workspaceId, one, known)] : []
  })
  await emitEvents(tx, workspaceId, events)
}

function runEvent(workspaceId: string, news: RunNews, { subjectId, email, phone }: Aliases): DomainEvent {
  const { type, automationId, name, version, runId, contactId, entryKey, enteredAt, depth, more } = news
  const ids = { automationId: integer(automationId), runId: integer(runId) }
  return {
    ...{ type, subject: subjectId ?? email ?? phone ?? '', contactId, email },
    data: {
      ...{ workspaceId: integer(workspaceId), contactId: integer(contactId), subjectId, email: email ?? '', phone },
      ...{ ...ids, name, version, entryKey, enteredAt, ...more, cause: { ...ids, depth: depth + 1 } },
    },
  }
}

async function aliasesOf(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Aliases>> {
  const { rows } = await tx.query<Aliases & { id: string }>({
    name: 'aliases_of_contacts_in_runs',
    text: `select id, subject_id as "subjectId", email, phone from contacts where workspace_id = $1 and id = any ($2::int8[])`,
    values: [workspaceId, int8Array(ids)],
  })
  return new Map(rows.map(({ id, ...aliases }) => [id, aliases]))
}
