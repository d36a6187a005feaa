import type { Statement } from '../../platform/db/statement.ts'
import { REFUSAL } from '../sending/ledger/refusal.ts'
import { ORIGIN, type Origin, personOf } from '../sending/message-source.ts'
import type { FailureReason, HoldReason, SkipReason, UncertainReason } from '../sending/message-states.ts'
import type { Restraint } from '../sending/restraint/restraints.ts'

/** All that decides whether and when a message goes, as it is now. */
export type ExplainRow = Origin & {
  topicId: string | null
  id: string
  destination: string
  contactId: string | null
  state: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  reason: FailureReason | SkipReason | UncertainReason | string | null
  attempts: number
  createdAt: string
  settledAt: string | null
  provider: string | null
  reply: string | null
  openedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
  /** `suppressed:<reason>` or `skipped:<reason>`; null: it may be sent. */
  refusal: string | null
  suppressedAt: string | null
  suppressedFor: string | null
  unsubscribedFrom: string[]
  /** Of each of these, where it is a topic or an automation. */
  unsubscribedNames: (string | null)[]
  /** Of the topic or the automation that it is of. */
  sourceName: string | null
  /** To its topic. */
  isSubscribed: boolean
  wantsConsent: boolean
  hasConsent: boolean
  isUnproven: boolean
  hasContact: boolean
  isQueued: boolean
  isClaimed: boolean
  handingAt: string | null
  dueAt: string | null
  isDue: boolean
  expiresAt: string | null
  streamState: 'open' | 'paused' | 'canceled' | null
  holdReason: HoldReason | null
  heldFor: Restraint | null
  lastCause: string | null
  lastAttemptReply: string | null
  lastAttemptAt: string | null
  /** The integration that was chosen for it, and the sender of its own; null: the default, and the integration's. */
  integrationId: string | null
  fromEmail: string | null
}

/** Those of the address, but for what it kept of all automated series. */
const UNSUBSCRIBES = `from unsubscribes u where u.workspace_id = $1 and u.destination = m.destination
  and not (m.source_kind = 'automation' and m.source_id = any (u.kept_automations)) order by u.sending_source`

export function explainableStatement(workspaceId: string, id: string): Statement<ExplainRow> {
  return {
    name: 'explain_message',
    text: `select m.id, ${ORIGIN}, m.destination, ${personOf()} as "contactId", m.state,
        m.reason, m.attempts, m.created_at as "createdAt", m.settled_at as "settledAt", m.provider, m.reply,
        m.opened_at as "openedAt", m.bounced_at as "bouncedAt", m.complained_at as "complainedAt", ${REFUSAL} as refusal,
        s.created_at as "suppressedAt", s.reason as "suppressedFor",
        array(select u.sending_source ${UNSUBSCRIBES}) as "unsubscribedFrom",
        array(select case split_part(u.sending_source, ':', 1)
            when 'topic' then (select n.name from topics n where n.workspace_id = $1 and 'topic:' || n.id = u.sending_source)
            when 'automation' then (select n.name from automations n
              where n.workspace_id = $1 and 'automation:' || n.id = u.sending_source) end ${UNSUBSCRIBES}) as "unsubscribedNames",
        case m.source_kind when 'automation' then (select n.name from automations n where n.workspace_id = $1 and n.id = m.source_id)
          else (select n.name from topics n where n.workspace_id = $1 and n.id = m.topic_id) end as "sourceName",
        exists (select from topic_subscriptions y
          join topics z on z.workspace_id = y.workspace_id and z.id = y.topic_id and z.deleted_at is null
          where y.workspace_id = $1 and y.topic_id = m.topic_id and y.contact_id = m.contact_id) as "isSubscribed",
        coalesce(t.double_opt_in, false) as "wantsConsent",
        exists (select from contact_consents k where k.workspace_id = $1 and k.contact_id = m.contact_id) as "hasConsent",
        exists (select from unproven_contacts p where p.workspace_id = $1 and p.contact_id = m.contact_id) as "isUnproven",
        exists (select from contacts c where c.workspace_id = $1 and c.id = ${personOf()}) as "hasContact",
        q.message_id is not null as "isQueued", q.turn is not null as "isClaimed", q.handing_at as "handingAt",
        q.due_at as "dueAt", coalesce(q.due_at <= now(), false) as "isDue", q.expires_at as "expiresAt",
        q.held_for as "heldFor", w.state as "streamState", w.hold_reason as "holdReason",
        a.cause as "lastCause", a.reply as "lastAttemptReply", a.at as "lastAttemptAt",
        b.integration_id as "integrationId", coalesce(e.from_email, b.from_email) as "fromEmail"
      from messages m
      left join suppressions s on s.workspace_id = $1 and s.destination = m.destination
      left join sending_settings t on t.workspace_id = $1
      left join message_queue q on q.workspace_id = $1 and q.message_id = m.id
      left join send_streams w on w.workspace_id = $1 and w.id = q.stream_id
      left join emails e on e.workspace_id = $1 and e.message_id = m.id and e.created_at = m.created_at
      left join broadcasts b on b.workspace_id = $1 and m.source_kind = 'broadcast' and b.id = m.source_id
      left join lateral (
        select cause, reply, at from message_attempts
        where workspace_id = $1 and message_id = m.id order by at desc limit 1) a on true
      where m.workspace_id = $1 and m.id = $2`,
    values: [workspaceId, id],
  }
}
