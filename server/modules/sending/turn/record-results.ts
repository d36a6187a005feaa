import type pg from 'pg'
import type { Provider } from '../../../catalogue/providers.ts'
import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import { byWorkspace } from '../../../platform/db/by-workspace.ts'
import { spanOf } from '../../../platform/db/span-of.ts'
import { ALL_WORKSPACES, inTransaction, planOnce, type Transaction } from '../../../platform/db/transaction.ts'
import { domainOf } from '../../../platform/mail/mail-address.ts'
import { type DomainEvent, emitEvents } from '../../domain-events/emit-events.ts'
import { backOff, clearBackoffs } from '../../pacing/backoffs.ts'
import { settleAllowance } from '../../pacing/daily-allowance.ts'
import { emailEvent } from '../ledger/email-events.ts'
import { unseen } from '../ledger/has-arrived.ts'
import type { FailureReason, UncertainReason } from '../message-states.ts'
import type { Claim } from './claim-messages.ts'

/** The fate of one claimed message. */
export type Verdict =
  | { verdict: 'accepted'; providerMessageId: string | null }
  | { verdict: 'failed'; reason: FailureReason; cause: string; bounce: 'permanent' | 'transient' | null }
  | { verdict: 'uncertain'; reason: UncertainReason; cause: string }
  /** Goes on waiting. `log` names the attempt in the message's timeline; null for what was none. */
  | {
      verdict: 'again'
      afterMs: number
      countsAttempt: boolean
      log: 'deferred' | 'throttled' | 'lost' | null
      cause: string
      /** Nothing goes to the receiver's domain for a while. */
      backOffDomain?: boolean
    }

export type SendResult = {
  claim: Claim
  verdict: Verdict
  provider: Provider
  /** The domain that signed; null when it did not come so far. */
  sendingDomain: string | null
  /** `250 2.0.0 …`; null without one. */
  reply: string | null
  /** Whether the receiver's domain was backed off from when this was claimed. */
  clearsBackoff: boolean
}

/**
 * The message as the ledger has it when its result is written. The claim is older: since then its person may have been
 * erased, which leaves no address, or become another contact. Null of a message that is not settled by the result.
 */
type Recorded = { contactId: string | null; destination: string; metadata: string | null }
type Counted = { result: SendResult; recorded: Recorded | null }

/**
 * Writes the results of many messages, of any stream, in one transaction: queue, ledger, log, limits and events. A result
 * whose claim was taken over meanwhile is dropped; of the erased the fate is written and nobody is told. Returns those that counted.
 */
export async function recordResults(pool: pg.Pool, results: readonly SendResult[]): Promise<SendResult[]> {
  return inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    planOnce(tx)
    const values = parametersOf(results)
    const [, { rows }] = await Promise.all([
      tx.query({ name: 'hold_claims_of_results', text: HOLD, values: values.slice(0, CLAIM_PARAMETERS) }),
      tx.query<{ n: string; isSettled: boolean } & Recorded>({ name: 'record_send_results', text: RECORD, values }),
    ])
    const counted = rows.map(
      ({ n, isSettled, ...recorded }): Counted => ({
        result: results[Number(n) - 1]!,
        recorded: isSettled ? recorded : null,
      }),
    )
    for (const [workspaceId, of] of byWorkspace(counted, ({ result }) => result.claim.workspaceId)) {
      await recordEffects(tx, workspaceId, of)
    }
    return counted.map(({ result }) => result)
  })
}

/** The first parameters of RECORD: whose claim of which message. */
const CLAIM_PARAMETERS = 4

/**
 * Waits for whoever has the rows of the claims, as a mark does whose commit nobody waits for any more. A statement of its own: a row
 * that is changed while RECORD waits for it would have a place that its snapshot does not know.
 */
const HOLD = `with result as materialized (
    select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) as r(workspace_id, message_id, slot, turn) order by message_id
  )
  select from result r cross join lateral (
    select from message_queue
    where workspace_id = r.workspace_id and message_id = r.message_id and slot = r.slot and turn = r.turn
    limit 1 for update) q`

const UNSEEN = unseen('c.handing_at', 'c.reason')
/**
 * A bounce may be back before its message's own result is written; one from before this attempt counts no more. Each message is
 * held by its own row, in the order of all that hold several, so that an erasure comes before all of this or after it: a reply, which may
 * quote the address, is kept where the ledger still has that.
 */
const RECORD = `with result as materialized (
    select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[], $8::int8[],
      $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int8[]) with ordinality
    as r(workspace_id, message_id, slot, turn, state, reason, next_in_ms, counts, outcome, cause, reply, provider,
      sending_domain, provider_message_id, bounced, n) order by message_id
  ), counted as materialized (
    select r.*, q.row, q.attempt + r.counts as attempts, q.integration_id, q.handing_at
    from result r cross join lateral (
      select ctid as row, attempt, integration_id, handing_at from message_queue
      where workspace_id = r.workspace_id and message_id = r.message_id and slot = r.slot and turn = r.turn
      limit 1 for update) q
  ), again as (
    update message_queue q set slot = null, turn = null, integration_id = null, handing_at = null, attempt = c.attempts,
      due_at = clock_timestamp() + c.next_in_ms * interval '1 millisecond'
    from counted c where q.ctid = c.row and c.next_in_ms is not null
  ), done as (
    delete from message_queue where ctid = any (array(select row from counted where next_in_ms is null))
  ), settled as (
    update messages m set state = case when c.state = 'uncertain' then ${UNSEEN.state} else c.state end,
      reason = case when c.state = 'uncertain' then ${UNSEEN.reason} else c.reason end, attempts = c.attempts, settled_at = clock_timestamp(),
      integration_id = c.integration_id, provider = c.provider, sending_domain = c.sending_domain,
      provider_message_id = case when m.destination <> '' then c.provider_message_id end,
      reply = case when m.destination <> '' then c.reply end,
      bounced_at = case when c.bounced = 1 then clock_timestamp() when m.bounced_at >= c.handing_at then m.bounced_at end
    from counted c
    where m.workspace_id = c.workspace_id and m.id = c.message_id
      and m.created_at >= $16 and m.created_at < $17 and c.next_in_ms is null and m.state = 'pending'
    returning c.n, m.contact_id, m.destination, m.metadata
  ), waiting as materialized (
    select c.n, m.destination from counted c cross join lateral (
      select destination from messages where workspace_id = c.workspace_id and id = c.message_id
        and created_at >= $16 and created_at < $17 for no key update) m
    where c.next_in_ms is not null
  ), addressed as materialized (
    select n from settled where destination <> '' union all select n from waiting where destination <> ''
  ), logged as (
    insert into message_attempts (workspace_id, message_id, at, attempt, outcome, cause, reply, integration_id)
    select workspace_id, message_id, clock_timestamp(), attempts, outcome, cause,
      case when exists (select from addressed a where a.n = c.n) then reply end, integration_id
    from counted c where outcome is not null
  )
  select c.n, s.n is not null as "isSettled", s.contact_id as "contactId", s.destination, s.metadata
  from counted c left join settled s on s.n = c.n order by c.n`

function parametersOf(results: readonly SendResult[]): unknown[] {
  const ids = (pick: (result: SendResult) => string | number | null) =>
    int8Array(
      results.map((result) => {
        const value = pick(result)
        return value === null ? null : String(value)
      }),
    )
  const texts = (pick: (result: SendResult) => string | null) => textArray(results.map((one) => storable(pick(one))))
  return [
    ids(({ claim }) => claim.workspaceId),
    ids(({ claim }) => claim.id),
    ids(({ claim }) => claim.slot),
    ids(({ claim }) => claim.turn),
    texts(({ verdict }) => (verdict.verdict === 'again' ? null : verdict.verdict)),
    texts(({ verdict }) => ('reason' in verdict ? verdict.reason : null)),
    ids(({ verdict }) => (verdict.verdict === 'again' ? Math.round(verdict.afterMs) : null)),
    ids(({ verdict }) => (verdict.verdict !== 'again' || verdict.countsAttempt ? 1 : 0)),
    texts(({ verdict }) => outcomeOf(verdict)),
    texts(({ verdict }) => ('cause' in verdict ? verdict.cause : null)),
    texts(({ reply }) => reply),
    texts(({ provider }) => provider),
    texts(({ sendingDomain }) => sendingDomain),
    texts(({ verdict }) => ('providerMessageId' in verdict ? verdict.providerMessageId : null)),
    ids(({ verdict }) => (verdict.verdict === 'failed' && verdict.bounce !== null ? 1 : 0)),
    ...spanOf(results.map(({ claim }) => claim.createdAt)),
  ]
}

/** The attempt's line in the log; an accepted one has the ledger's own. */
function outcomeOf(verdict: Verdict): string | null {
  if (verdict.verdict === 'again') return verdict.log
  return verdict.verdict === 'accepted' ? null : verdict.verdict
}

/** A server's answer may hold characters that a text column cannot. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd')
}

async function recordEffects(tx: Transaction, workspaceId: string, counted: readonly Counted[]): Promise<void> {
  const results = counted.map(({ result }) => result)
  const allowances = [...Map.groupBy(results, ({ claim }) => claim.integrationId)].map(([integrationId, of]) => {
    // A message of unknown fate was perhaps taken: the provider may have counted it.
    const sent = of.filter(({ verdict }) => verdict.verdict === 'accepted' || verdict.verdict === 'uncertain').length
    return { integrationId, sent, unused: of.length - sent }
  })
  await Promise.all([
    emitEvents(tx, workspaceId, counted.flatMap(eventsOf)),
    settleAllowance(tx, workspaceId, allowances),
  ])
  for (const [integrationId, of] of Map.groupBy(results, ({ claim }) => claim.integrationId)) {
    const domains = (pick: (result: SendResult) => boolean | undefined) => [
      ...new Set(of.filter(pick).map(({ claim }) => domainOf(claim.destination))),
    ]
    const failing = domains(({ verdict }) => verdict.verdict === 'again' && verdict.backOffDomain)
    for (const domain of failing) await backOff(tx, { workspaceId, integrationId, domain })
    const well = domains(({ verdict, clearsBackoff }) => clearsBackoff && verdict.verdict === 'accepted')
    if (well.length > 0) await clearBackoffs(tx, workspaceId, integrationId, well)
  }
}

/** The events that webhooks tell of a result (docs/guides/webhooks.md); of the erased none. */
function eventsOf({ result, recorded }: Counted): DomainEvent[] {
  if (recorded === null || recorded.destination === '') return []
  const { claim, verdict, provider, sendingDomain, reply } = result
  const message = { ...claim, ...recorded }
  const via = { provider, sendingDomain }
  if (verdict.verdict === 'accepted') {
    return [emailEvent('email.sent', message, { ...via, providerMessageId: verdict.providerMessageId })]
  }
  if (verdict.verdict !== 'failed' || verdict.bounce === null) return []
  return [
    emailEvent('email.bounced', message, { ...via, bounceKind: verdict.bounce, reason: verdict.reason, detail: reply }),
  ]
}
