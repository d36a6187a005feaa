import type { Transaction } from '../../../platform/db/transaction.ts'
import { emitEvents } from '../../domain-events/emit-events.ts'
import { ORIGIN, personOf } from '../message-source.ts'
import { type EventMessage, emailEvent } from './email-events.ts'
import { REQUEUED_MAX, type Requeue, type Requeued, type SingleMessage } from './requeue-messages.ts'

type Taken = EventMessage & { provider: string | null; sendingDomain: string | null }

/** Of a process that died nobody noted what it sent through but the integration. */
const TAKEN = `m.workspace_id as "workspaceId", m.id, ${ORIGIN},
  ${personOf()} as "contactId", m.destination, m.sending_domain as "sendingDomain",
  coalesce(m.provider, (select i.provider from integrations i
    where i.workspace_id = m.workspace_id and i.id = m.integration_id)) as provider`

/**
 * Takes up to REQUEUED_MAX uncertain messages of a broadcast for sent, in steps as `retryFailed`, and tells of each with
 * `email.sent`.
 */
export async function acceptUncertain(tx: Transaction, at: Omit<Requeue, 'streamId'>): Promise<Requeued> {
  const { rows } = await tx.query<{ lastId: string | null } & (Taken | { id: null })>({
    name: 'accept_uncertain_messages',
    text: `with looked as materialized (
        select id, created_at, state from messages
        where workspace_id = $1 and source_kind = 'broadcast' and source_id = $2 and created_at = $3 and id > $4 order by id limit ${REQUEUED_MAX}
      ), taken as (
        update messages m set state = 'accepted', reason = null from looked l
        where l.state = 'uncertain' and m.workspace_id = $1 and m.id = l.id and m.created_at = l.created_at
          and m.state = 'uncertain'
        returning ${TAKEN}
      )
      select taken.*, step.last as "lastId"
      from (select max(id) as last from looked) step left join taken on true`,
    values: [at.workspaceId, at.broadcastId, at.startedAt, at.afterId],
  })
  const taken = rows.filter((row) => row.id !== null)
  await tellSent(tx, at.workspaceId, taken)
  return { count: taken.length, lastId: rows[0]?.lastId ?? null }
}

/** Takes an uncertain single message for sent, likewise. False when it is not uncertain. */
export async function acceptMessage(tx: Transaction, { workspaceId, id, createdAt }: SingleMessage): Promise<boolean> {
  const { rows } = await tx.query<Taken>({
    name: 'accept_uncertain_message',
    text: `update messages m set state = 'accepted', reason = null
      where workspace_id = $1 and id = $2 and created_at = $3 and state = 'uncertain' and source_id is null
      returning ${TAKEN}`,
    values: [workspaceId, id, createdAt],
  })
  await tellSent(tx, workspaceId, rows)
  return rows.length > 0
}

/** Of the erased nobody is told. */
function tellSent(tx: Transaction, workspaceId: string, taken: readonly Taken[]): Promise<void> {
  const known = taken.filter(({ destination }) => destination !== '')
  return emitEvents(
    tx,
    workspaceId,
    known.map((message) => {
      const { provider, sendingDomain } = message
      return emailEvent('email.sent', message, { provider, sendingDomain, providerMessageId: null })
    }),
  )
}
