import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { contactsWithIds } from '../../contacts/contacts-with-ids.ts'
import { explainMessage } from '../../emails/explain-message.ts'
import { onlyOne, whichHave } from '../../segments/explain-membership.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import type { SenderDeps } from '../../sending/judge-sender.ts'
import { contactRefusals } from '../../sending/ledger/contact-refusals.ts'
import type { Rule } from '../../sending/ledger/refusal.ts'
import { refusalInWords, ruleOf } from '../../sending/ledger/refusal-words.ts'
import type { MessageState } from '../../sending/message-states.ts'
import { type BroadcastKey, type BroadcastState, broadcastState } from '../queries.ts'
import { topicNameOf } from './explain-queries.ts'
import type { RecipientExplanation } from './explain-schemas.ts'

type Finding = RecipientExplanation['findings'][number]

/**
 * Why somebody got a broadcast or did not, and before it is sent, whether they would. Throws 404 for the broadcast
 * or the contact, 422 for a segment that holds no longer.
 */
export async function explainRecipient(
  deps: { sql: pg.Pool } & SenderDeps,
  key: BroadcastKey,
  contactId: string,
): Promise<RecipientExplanation> {
  const { workspaceId } = key
  const found = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const broadcast = await broadcastState(tx, key)
    if (!broadcast) throw notFound()
    const messageId = await messageOf(tx, key, { contactId, startedAt: broadcast.startedAt })
    if (messageId !== undefined) return { messageId }
    const contacts = await contactsWithIds(tx, workspaceId, [contactId])
    if (contacts.length === 0) throw notFound()
    return wouldGet(tx, key, { broadcast, contactId })
  })
  if (!('messageId' in found) || found.messageId === null) return found as RecipientExplanation
  const { rule, summary, findings, state } = await explainMessage(
    { sql: deps.sql, sender: deps },
    workspaceId,
    found.messageId,
  )
  const isIn = state !== 'skipped' && state !== 'suppressed'
  return { contactId, messageId: found.messageId, wouldGet: isIn, rule, summary, findings: findings.map(told) }
}

const told = ({ subject, verdict, detail }: Finding): Finding => ({ subject, verdict, detail })

type Asked = { broadcast: BroadcastState; contactId: string }

async function wouldGet(tx: Transaction, key: BroadcastKey, { broadcast, contactId }: Asked) {
  const audience = await audienceFindings(tx, key.workspaceId, { broadcast, contactId })
  const { topicId } = broadcast
  const refusals = await contactRefusals(tx, key.workspaceId, { contactId, topicIds: [topicId] })
  const refusal = refusals.get(topicId) ?? null
  const topicName = topicId === null ? null : await topicNameOf(tx, key.workspaceId, topicId)
  const { rule, finding } = refusalFinding({ id: key.id, topicId, topicName }, refusal)
  const findings = [...audience, finding]
  const stop = findings.find(({ verdict }) => verdict === 'stops')
  const isStarted = broadcast.startedAt !== null
  const summary = isStarted
    ? `Not among its recipients: the audience was frozen at its start without this contact.${stop ? ` As things stand now, ${stop.detail}.` : ''}`
    : stop
      ? `Would not get it: ${stop.detail}.`
      : 'Would get it if it were sent now.'
  return { contactId, messageId: null, wouldGet: !isStarted && stop === undefined, rule, summary, findings }
}

async function audienceFindings(
  tx: Transaction,
  workspaceId: string,
  { broadcast, contactId }: Asked,
): Promise<Finding[]> {
  const { segmentIds, excludedSegmentIds } = broadcast
  const ids = [...segmentIds, ...excludedSegmentIds]
  const sets = await Promise.all(ids.map((id) => segmentMembers(tx, workspaceId, { id, range: onlyOne(contactId) })))
  const isIn = await whichHave(
    tx,
    sets.flatMap((set) => set ?? []),
  )
  const member = new Set(ids.filter((_, n) => isIn[n]))
  const included = segmentIds.filter((id) => member.has(id))
  const excluded = excludedSegmentIds.filter((id) => member.has(id))
  const list = (of: readonly string[]) => of.map((id) => `segment ${id}`).join(', ')
  const audience: Finding =
    segmentIds.length === 0
      ? { subject: 'audience', verdict: 'passes', detail: 'it goes to every contact with an address' }
      : included.length > 0
        ? { subject: 'audience', verdict: 'passes', detail: `the contact is in ${list(included)}` }
        : {
            subject: 'audience',
            verdict: 'stops',
            detail: `the contact is in none of its segments (${list(segmentIds)})`,
          }
  if (excludedSegmentIds.length === 0) return [audience]
  return [
    audience,
    excluded.length > 0
      ? { subject: 'exclusion', verdict: 'stops', detail: `the contact is in ${list(excluded)}, which is left out` }
      : { subject: 'exclusion', verdict: 'passes', detail: 'the contact is in none of the segments that are left out' },
  ]
}

function refusalFinding(
  { id, topicId, topicName }: { id: string; topicId: string | null; topicName: string | null },
  refusal: string | null,
): { rule: Rule | null; finding: Finding } {
  if (refusal === null) {
    return {
      rule: null,
      finding: { subject: 'rules', verdict: 'passes', detail: 'nothing stands against mailing the contact' },
    }
  }
  const [state, reason] = refusal.split(':') as [MessageState, string]
  const detail = refusalInWords({ sourceKind: 'broadcast', sourceId: id, topicId, name: topicName }, { state, reason })
  return { rule: ruleOf(state, reason), finding: { subject: 'rules', verdict: 'stops', detail } }
}

/** The message that a broadcast has for a contact, found by the key that has everybody in it once. */
async function messageOf(
  tx: Transaction,
  { workspaceId, id }: BroadcastKey,
  { contactId, startedAt }: { contactId: string; startedAt: string | null },
): Promise<string | undefined> {
  if (startedAt === null) return undefined
  const statement: Statement<{ id: string }> = {
    name: 'message_of_recipient',
    text: `select m.id from messages m where m.workspace_id = $1 and m.contact_id = $2::bigint and m.source_id = $3
      and m.created_at = $4 and m.source_kind = 'broadcast'`,
    values: [workspaceId, contactId, id, startedAt],
  }
  const { rows } = await tx.query(statement)
  return rows[0]?.id
}
