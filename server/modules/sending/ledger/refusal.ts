import { type Origin, PURPOSES, type Purpose, type SourceKind } from '../message-source.ts'

/** The mail that somebody can stop: broadcasts, those of one topic, all automations, one of them, or everything that is marketing. */
export type SendingSource = 'broadcasts' | 'automations' | 'everything' | `automation:${string}` | `topic:${string}`

/** The rules that can stand against a message, the weightiest first. */
export const RULES = ['address', 'suppression', 'everything', 'source', 'topic', 'contact', 'proof', 'consent'] as const
export type Rule = (typeof RULES)[number]

type Heeding = { purpose: Purpose; sourceKind: SourceKind; heeds: readonly Rule[] }

/**
 * The rules on whom mail goes to, by its purpose and its source: the one table (docs/guides/sending.md tells it).
 * `address`: there is none, or none any more. `suppression`: it must not be mailed. `everything`, `source`: it wants no
 * marketing at all, or none of this sending source. `topic`: it is of one that only those get who want it. `contact`: the contact is no more. `proof`: a page
 * alone has stated the contact's address. `consent`: the workspace mails only those who are known to have agreed, to all marketing mail or by
 * themselves to the topic.
 */
export const HEEDING: readonly Heeding[] = [
  { purpose: 'marketing', sourceKind: 'broadcast', heeds: RULES },
  { purpose: 'marketing', sourceKind: 'automation', heeds: RULES.filter((rule) => rule !== 'topic') },
  { purpose: 'service', sourceKind: 'automation', heeds: ['address', 'suppression', 'contact', 'proof'] },
  { purpose: 'transactional', sourceKind: 'email', heeds: ['address', 'suppression'] },
  // Asks for the consent that it would need, and may be asked again; not of who wants nothing at all, nor of strangers whom a page names.
  { purpose: 'system', sourceKind: 'confirmation', heeds: ['address', 'suppression', 'everything', 'proof'] },
  // Goes to whomever its sender names.
  { purpose: 'system', sourceKind: 'test', heeds: [] },
]

export function doesHeed({ purpose, sourceKind }: Pick<Origin, 'purpose' | 'sourceKind'>, rule: Rule): boolean {
  const row = HEEDING.find((one) => one.purpose === purpose && one.sourceKind === sourceKind)
  return row?.heeds.includes(rule) ?? true
}

/** A message, and the topic it is of; null: of none. */
export type Stoppable = Pick<Origin, 'sourceKind' | 'sourceId'> & { topicId?: string | null }

/** The source that its recipient can stop a message by; null where there is none. */
export function sendingSourceOf({ sourceKind, sourceId, topicId = null }: Stoppable) {
  if (sourceKind === 'broadcast') return topicId === null ? 'broadcasts' : (`topic:${topicId}` as const)
  return sourceKind === 'automation' ? (`automation:${sourceId}` as const) : null
}

const SENDING_SOURCE = `case m.source_kind when 'broadcast' then coalesce('topic:' || m.topic_id, 'broadcasts')
  else 'automation:' || m.source_id end`

const HAS_SAID_YES = `select from topic_subscriptions y
    join topics z on z.workspace_id = y.workspace_id and z.id = y.topic_id and z.deleted_at is null
    where y.workspace_id = m.workspace_id and y.topic_id = m.topic_id and y.contact_id = m.contact_id`
const IS_SUBSCRIBED = `exists (${HAS_SAID_YES})`

/** SQL, for `messages m`: whether it heeds a rule. A purpose whose every source does is asked for by itself. */
function heeding(rule: Rule): string {
  const conditions = PURPOSES.flatMap((purpose) => {
    const rows = HEEDING.filter((one) => one.purpose === purpose)
    const heeding = rows.filter(({ heeds }) => heeds.includes(rule))
    if (heeding.length === rows.length) return [`m.purpose = '${purpose}'`]
    return heeding.map(({ sourceKind }) => `(m.purpose = '${purpose}' and m.source_kind = '${sourceKind}')`)
  })
  return conditions.join(' or ')
}

const FINDINGS: Readonly<Record<Rule, string>> = {
  address: `select case when m.contact_id is null then 'skipped:contact_gone' else 'skipped:no_email' end
    where m.destination = ''`,
  suppression: `select 'suppressed:' || s.reason from suppressions s
    where s.workspace_id = m.workspace_id and s.destination = m.destination`,
  everything: `select 'skipped:unsubscribed_everything' from unsubscribes u
    where u.workspace_id = m.workspace_id and u.destination = m.destination and u.sending_source = 'everything'`,
  source: `select 'skipped:unsubscribed_source' from unsubscribes u
    where u.workspace_id = m.workspace_id and u.destination = m.destination and u.sending_source = ${SENDING_SOURCE}
    union all select 'skipped:unsubscribed_source' from unsubscribes b
    where m.topic_id is not null and b.workspace_id = m.workspace_id and b.destination = m.destination
      and b.sending_source = 'broadcasts' and not ${IS_SUBSCRIBED}
    union all select 'skipped:unsubscribed_source' from unsubscribes a
    where m.source_kind = 'automation' and a.workspace_id = m.workspace_id and a.destination = m.destination
      and a.sending_source = 'automations' and m.source_id <> all (a.kept_automations)
    limit 1`,
  topic: `select 'skipped:not_subscribed' where m.topic_id is not null and not ${IS_SUBSCRIBED} and not exists (
    select from topics t where t.workspace_id = m.workspace_id and t.id = m.topic_id and t.subscription = 'everyone'
      and t.deleted_at is null)`,
  contact: `select 'skipped:contact_gone' where not exists (
    select from contacts c where c.workspace_id = m.workspace_id and c.id = m.contact_id)`,
  proof: `select 'skipped:unproven' from unproven_contacts p
    where p.workspace_id = m.workspace_id and p.contact_id = m.contact_id`,
  consent: `select 'skipped:unconfirmed' from sending_settings t
    where t.workspace_id = m.workspace_id and t.double_opt_in and not exists (
      select from contact_consents k where k.workspace_id = m.workspace_id and k.contact_id = m.contact_id)
      and not exists (${HAS_SAID_YES} and y.by_whom = 'person')`,
}

/**
 * SQL, for `messages m` or a row like it: why the message must not be sent now, null when it may. `suppressed:<reason>`
 * or `skipped:<reason>` (message-states.ts), the weightiest first. The one rule for who is mailed: it is asked when the
 * message is made, when it is claimed, and once more in the statement after which it goes out.
 */
export const REFUSAL = `coalesce(
  ${RULES.map((rule) => `case when ${heeding(rule)} then (${FINDINGS[rule]}) end`).join(',\n  ')})`

/** SQL, for `messages m` of runs `r`: rows `q` that wait in the queue of the automation for whom the message is to. */
const OF_PERSON = `q.workspace_id = m.workspace_id and q.automation_id = r.automation_id
  and q.contact_id = any (m.contact_id || array(select k.merged_id from contact_merges k
    where k.workspace_id = m.workspace_id and k.survivor_id = m.contact_id))`

/**
 * SQL, for `messages m`: that the run of an automation which the message is of has left it, or is to leave because something
 * happened that its owner said ends it (an exit, or a goal that is one: `way` 1), and no turn has come to it yet; null when not. A turn takes back what is queued;
 * what was being handed over then, and was put off by its server, is refused here. An exit may stand under a contact that was merged while it
 * was put there, and one of run -1 is of all that its contact has begun by then. A run that came to its end gets all its mail; and after a pause nobody gets what its
 * owner has said is too late then.
 */
const RUN_ENDS = `case when m.source_kind = 'automation' then (
    select 'skipped:run_ended' from run_messages r
    where r.workspace_id = m.workspace_id and r.message_id = m.id and r.created_at = m.created_at
      and (exists (select from run_queue q
          join runs a on a.workspace_id = q.workspace_id and a.id = q.run_id and (a.version = q.version or q.way < -1)
          where ${OF_PERSON} and q.run_id = r.run_id and (q.kind = 'exit' or q.kind = 'goal' and q.way = 1))
        or exists (select from run_queue q
          join runs a on a.workspace_id = q.workspace_id and a.id = r.run_id and a.entered_at <= q.due_at
          where ${OF_PERSON} and q.run_id = -1 and q.kind = 'exit')
        or (not exists (select from runs a where a.workspace_id = m.workspace_id and a.id = r.run_id)
          and exists (select from ended_runs e where e.workspace_id = m.workspace_id and e.id = r.run_id
            and e.state = 'exited')))
    union all select 'skipped:too_late' from automations a
    where a.workspace_id = m.workspace_id and a.id = m.source_id and m.created_at < a.mail_from
    limit 1) end`

/**
 * SQL, for `messages m`: why a queued message must not go out now, null when it may. Only an automation's can be of a run that ends;
 * a statement for others leaves that out, for it would open all tables of runs, with all their months, to ask nothing of them.
 */
export function queuedRefusal(ofAutomations: boolean): string {
  return ofAutomations ? `coalesce(${REFUSAL}, ${RUN_ENDS})` : REFUSAL
}

/** How long a message is tried, from when it is due (RFC 5321 section 4.5.4.1 asks for four to five days at most). */
export const EXPIRY_HOURS = 72
