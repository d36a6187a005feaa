import type pg from 'pg'
import { missingScope } from '../../catalogue/problems.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { runsOfPerson } from '../automations/seeing/runs-of-person.ts'
import { listConsents } from '../consents/list-consents.ts'
import { readContact } from '../contacts/read-contact.ts'
import { readTimeline } from '../events/read-timeline.ts'
import { hitsOfMessages } from '../tracking/message-hits.ts'
import type { PersonalDataDeps } from './deps.ts'
import {
  consentsOfStatement,
  type MessageOfContact,
  messagesOfStatement,
  suppressionsOfStatement,
  tagsOfStatement,
  topicsOfStatement,
  unsubscribesOfStatement,
  visitorsOfStatement,
} from './queries.ts'

/** Events in one document; the rest follows by its cursor. */
const EXPORT_EVENTS_MAX = 1_000
/** The newest messages; a person that gets one every day has them for years. */
const EXPORT_MESSAGES_MAX = 5_000
/** The newest changes of a consent. */
const EXPORT_CONSENT_CHANGES_MAX = 1_000

/**
 * Everything that is known of a person, for the person (GDPR article 15). A document holds at most EXPORT_EVENTS_MAX
 * events; `nextCursor` leads to the next ones. Throws 404, 403 without the scope of events, and 400 for a bad cursor.
 */
export async function exportPerson(
  deps: Pick<PersonalDataDeps, 'sql' | 'forms'>,
  caller: Caller,
  input: { id: string; cursor?: string | undefined },
) {
  const { sql, forms } = deps
  const { workspaceId } = caller
  const contact = await readContact(sql, workspaceId, input.id)
  if (!caller.scopes.has('events:read')) throw missingScope('events:read')
  const timeline = await readTimeline(sql, workspaceId, {
    contactId: contact.id,
    cursor: input.cursor,
    limit: EXPORT_EVENTS_MAX,
  })
  const consents = await listConsents(sql, workspaceId, {
    contactId: contact.id,
    page: 1,
    pageSize: EXPORT_CONSENT_CHANGES_MAX,
  })
  // In one transaction: a document takes one connection at a time, not ten.
  const [tags, topics, suppressions, unsubscribes, confirmations, messages, automationRuns, visitors, formSubmissions] =
    await inTransaction(sql, workspaceId, (tx) =>
      Promise.all([
        rowsOf(tx, tagsOfStatement(workspaceId, contact.id)),
        rowsOf(tx, topicsOfStatement(workspaceId, contact.id)),
        rowsOf(tx, suppressionsOfStatement(workspaceId, contact.email)),
        rowsOf(tx, unsubscribesOfStatement(workspaceId, contact.email)),
        rowsOf(tx, consentsOfStatement(workspaceId, contact.id)),
        rowsOf(tx, messagesOfStatement(workspaceId, contact, EXPORT_MESSAGES_MAX)),
        runsOfPerson(tx, workspaceId, contact.id),
        rowsOf(tx, visitorsOfStatement(workspaceId, contact.id)),
        forms.list(tx, workspaceId, contact),
      ]),
    )
  const hits = await inTransaction(sql, workspaceId, async (tx) => {
    const ids = messages.map(({ id }) => id)
    const found = await hitsOfMessages(tx, workspaceId, ids)
    await recordAudit(tx, caller, {
      action: 'contact.export_data',
      target: { type: 'contact', id: contact.id, name: null },
    })
    return found
  })
  const hitsOf = Map.groupBy(hits, ({ messageId }) => messageId)
  const { items: events, ...more } = timeline
  return {
    contact,
    tags,
    topics,
    visitors,
    unsubscribes,
    suppressions,
    confirmations,
    consentChanges: consents.items,
    events,
    outboundMessages: messages.map((message) => ({ ...message, hits: hitsOf.get(message.id) ?? [] })),
    broadcastRecipients: messages.flatMap(recipientOf),
    automationRuns,
    formSubmissions,
    ...more,
  }
}

async function rowsOf<R extends pg.QueryResultRow>(tx: Transaction, statement: Statement<R>): Promise<R[]> {
  return (await tx.query(statement)).rows
}

/** A message of a broadcast as the person's place among its recipients. */
function recipientOf({ id, broadcastId, status, reason, createdAt }: MessageOfContact) {
  return broadcastId === null ? [] : [{ broadcastId, messageId: id, status, reason, createdAt }]
}
