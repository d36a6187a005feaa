import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type PlannedMessage, planMessages } from '../../sending/ledger/plan-messages.ts'
import { openStream } from '../../sending/streams.ts'
import type { EmailNode } from '../definition/definition.ts'
import { type Micros, momentOf } from '../micros.ts'
import { plus } from './rest.ts'
import type { Run } from './run-state.ts'
import { leave, type TurnContext } from './turn-context.ts'
import { seenVariables } from './variables.ts'

/**
 * Puts the mail of a node into the ledger for each run, once a visit: the trace has one row for it in the same transaction.
 * Those who must not be mailed, or not that late, go on by `skipped`.
 */
export async function planMails(context: TurnContext, node: EmailNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId, automationId, clock, mailFrom } = context
  const lastAt = (run: Run) => (node.notLaterThan === null ? null : plus(run.at, node.notLaterThan, run.zone))
  const isLate = (run: Run) => {
    const last = lastAt(run)
    const isBefore = [mailFrom, run.mailFrom].some((moment) => moment !== null && run.at < moment)
    return isBefore || (last !== null && clock > last)
  }
  for (const run of runs)
    if (isLate(run)) leave(context, run, { way: 'skipped', to: node.skipped, seen: { skipped: 'too_late' } })
  const mailed = runs.filter((run) => !isLate(run))
  if (mailed.length === 0) return
  const source = { kind: 'automation', id: automationId } as const
  const stream = await openStream(tx, workspaceId, source)
  const createdAt = momentOf(clock)
  const purpose = context.definitions.get(mailed[0]!.version)!.class
  const recipients = mailed.map((run) => {
    const last = lastAt(run)
    return { contactId: run.contactId, dueAt: null, notAfter: last === null ? null : momentOf(last) }
  })
  const planned = await planMessages(
    tx,
    { workspaceId, source, purpose, createdAt, streamId: stream.streamId },
    recipients,
  )
  const byContact = new Map(planned.map((message) => [message.contactId, message]))
  await noteMessages(context, { runs: mailed, byContact, createdAt: clock })
  for (const run of mailed) {
    const { id, state, reason } = byContact.get(run.contactId)!
    if (state === 'pending') {
      context.mails++
      leave(context, run, { way: 'to', to: node.to, seen: { messageId: id, ...seenVariables(run) } })
    } else leave(context, run, { way: 'skipped', to: node.skipped, seen: { messageId: id, skipped: reason ?? state } })
  }
}

type Noted = { runs: readonly Run[]; byContact: ReadonlyMap<string, PlannedMessage>; createdAt: Micros }

async function noteMessages(
  { tx, workspaceId, automationId }: { tx: Transaction; workspaceId: string; automationId: string },
  { runs, byContact, createdAt }: Noted,
): Promise<void> {
  const ids = (pick: (run: Run) => string | number | null) =>
    int8Array(runs.map((run) => (pick(run) === null ? null : String(pick(run)))))
  await tx.query({
    name: 'note_run_messages',
    text: `insert into run_messages (workspace_id, message_id, created_at, run_id, visit, automation_id, version, node,
        event_id, event_at, depth)
      select $1, message_id, $2, run_id, visit, $3, version, node, event_id, event_at::timestamptz, depth
      from unnest($4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::text[], $9::int8[], $10::text[], $11::int8[])
        as r(message_id, run_id, visit, version, node, event_id, event_at, depth)`,
    values: [
      ...[workspaceId, momentOf(createdAt), automationId],
      ids(({ contactId }) => byContact.get(contactId)!.id),
      ids(({ id }) => id),
      ids(({ visit }) => visit),
      ids(({ version }) => version),
      textArray(runs.map(({ node }) => node)),
      ids(({ eventId }) => eventId),
      textArray(runs.map(({ eventAt }) => eventAt)),
      ids(({ depth }) => depth),
    ],
  })
}
