import type { Proof } from '../../catalogue/proofs.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Provenance } from '../consents/record-consents.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { emailStatusSql } from '../emails/email-status.ts'
import { SURFACE, TOLD_ORIGIN, type ToldOrigin } from '../sending/ledger/surface.ts'
import { ofContact } from '../sending/message-source.ts'

/** Hashes of the aliases among three expressions; $1 is the workspace. */
const hashesOf = ({ subjectId, email, phone }: Record<keyof Aliases, string>) =>
  `array_remove(array[alias_hash($1, 'subjectId', ${subjectId}), alias_hash($1, 'email', ${email}),
    alias_hash($1, 'phone', ${phone})], null)`

/** Hashes of the aliases among $2 (subjectId), $3 (email), $4 (phone); $1 is the workspace. */
export const ALIAS_HASHES = hashesOf({ subjectId: '$2', email: '$3', phone: '$4' })

export const aliasValues = ({ subjectId, email, phone }: Aliases) => [subjectId, email, phone]

type By = { kind: string; id: string | null }

/** Adds erasures to the journal: each contact, all that was merged into it, and how its aliases are recognised. */
export async function insertErasures(
  tx: Transaction,
  workspaceId: string,
  { contacts, by }: { contacts: readonly ({ id: string } & Aliases)[]; by: By },
): Promise<void> {
  await tx.query({
    name: 'insert_erasures',
    text: `insert into erasures (workspace_id, contact_id, contact_ids, alias_hashes, aliases, actor_kind, actor_id, held_at)
      select $1::bigint, c.id, array[c.id] || coalesce(m.ids, '{}'),
        ${hashesOf({ subjectId: 'c.subject_id', email: 'c.email', phone: 'c.phone' })} || coalesce(m.hashes, '{}'),
        jsonb_build_object('subjectId', c.subject_id, 'email', c.email, 'phone', c.phone), $6, $7, clock_timestamp()
      from unnest($2::int8[], $3::text[], $4::text[], $5::text[]) as c(id, subject_id, email, phone)
      cross join lateral (
        select array_agg(distinct merged_id) as ids, array_agg(hash) filter (where hash is not null) as hashes
        from contact_merges left join lateral unnest(alias_hashes) as hash on true
        where workspace_id = $1 and survivor_id = c.id
      ) m order by c.id`,
    values: [
      workspaceId,
      int8Array(contacts.map(({ id }) => id)),
      ...(['subjectId', 'email', 'phone'] as const).map((alias) => textArray(contacts.map((one) => one[alias]))),
      by.kind,
      by.id,
    ],
  })
}

/** Notes that a contact became part of another, and with it all that had become part of the first. */
export async function insertMerge(
  tx: Transaction,
  workspaceId: string,
  merge: { mergedId: string; intoId: string; lost: Aliases; by: By },
): Promise<void> {
  const { mergedId, intoId, lost, by } = merge
  await tx.query({
    name: 'follow_contact_merges',
    text: 'update contact_merges set survivor_id = $3 where workspace_id = $1 and survivor_id = $2',
    values: [workspaceId, mergedId, intoId],
  })
  await tx.query({
    name: 'insert_contact_merge',
    text: `insert into contact_merges
        (workspace_id, merged_id, into_id, survivor_id, alias_hashes, actor_kind, actor_id)
      values ($1, $5, $6, $6, ${ALIAS_HASHES}, $7, $8)`,
    values: [workspaceId, ...aliasValues(lost), mergedId, intoId, by.kind, by.id],
  })
}

export type MergeRow = { contactId: string; mergedIntoId: string; mergedAt: string }

/** Contacts that became part of a contact, ascending by id. */
export function mergesIntoStatement(workspaceId: string, contactId: string, page: PageQuery): Statement<MergeRow> {
  return {
    name: 'contact_merges_into',
    text: `select merged_id as "contactId", into_id as "mergedIntoId", merged_at as "mergedAt" from contact_merges
      where workspace_id = $1 and survivor_id = $2 order by merged_id limit $3 offset $4`,
    values: [workspaceId, contactId, page.pageSize, rowsBefore(page)],
  }
}

/** Counted on the index: merges of one contact are few. */
export function mergesTotalStatement(workspaceId: string, contactId: string): Statement<{ total: string }> {
  return {
    name: 'contact_merges_total',
    text: 'select count(*) as total from contact_merges where workspace_id = $1 and survivor_id = $2',
    values: [workspaceId, contactId],
  }
}

export type TagOfContact = { id: string; name: string; createdAt: string; appliedAt: string }

export type VisitorOfContact = { visitorId: string; proof: Proof; firstSeenOn: string; lastSeenOn: string }

export function visitorsOfStatement(workspaceId: string, contactId: string): Statement<VisitorOfContact> {
  return {
    name: 'exported_visitors',
    text: `select visitor_id as "visitorId", proof, first_seen::text as "firstSeenOn", last_seen::text as "lastSeenOn"
      from visitors where workspace_id = $1 and contact_id = $2 order by first_seen, visitor_id`,
    values: [workspaceId, contactId],
  }
}

export function tagsOfStatement(workspaceId: string, contactId: string): Statement<TagOfContact> {
  return {
    name: 'exported_tags',
    text: `select t.id, t.name, t.created_at as "createdAt", a.created_at as "appliedAt"
      from contact_tags a join tags t on t.workspace_id = a.workspace_id and t.id = a.tag_id
      where a.workspace_id = $1 and a.contact_id = $2 order by t.id`,
    values: [workspaceId, contactId],
  }
}

export type TopicOfContact = { topicId: string; name: string; byWhom: 'person' | 'workspace'; subscribedAt: string }

export function topicsOfStatement(workspaceId: string, contactId: string): Statement<TopicOfContact> {
  return {
    name: 'exported_topics',
    text: `select t.id as "topicId", t.name, s.by_whom as "byWhom", s.created_at as "subscribedAt"
      from topic_subscriptions s join topics t on t.workspace_id = s.workspace_id and t.id = s.topic_id and t.deleted_at is null
      where s.workspace_id = $1 and s.contact_id = $2 order by t.id`,
    values: [workspaceId, contactId],
  }
}

export type ConsentOfContact = {
  provenance: Provenance
  optedInAt: string | null
  optInIp: string | null
  confirmedAt: string | null
  confirmIp: string | null
  createdAt: string
}

export function consentsOfStatement(workspaceId: string, contactId: string): Statement<ConsentOfContact> {
  return {
    name: 'exported_consents',
    text: `select provenance, opted_in_at as "optedInAt", host(opt_in_ip) as "optInIp",
        confirmed_at as "confirmedAt", host(confirm_ip) as "confirmIp", created_at as "createdAt"
      from contact_consents where workspace_id = $1 and contact_id = $2`,
    values: [workspaceId, contactId],
  }
}

export type SuppressionOfContact = { id: string; destination: string; reason: string; createdAt: string }

export function suppressionsOfStatement(workspaceId: string, email: string | null): Statement<SuppressionOfContact> {
  return {
    name: 'exported_suppressions',
    text: `select id, destination, reason, created_at as "createdAt" from suppressions
      where workspace_id = $1 and destination = lower($2)`,
    values: [workspaceId, email],
  }
}

export type UnsubscribeOfContact = { id: string; destination: string; sendingSource: string; createdAt: string }

export function unsubscribesOfStatement(workspaceId: string, email: string | null): Statement<UnsubscribeOfContact> {
  return {
    name: 'exported_unsubscribes',
    text: `select id, destination, sending_source as "sendingSource", created_at as "createdAt" from unsubscribes
      where workspace_id = $1 and destination = lower($2) order by id`,
    values: [workspaceId, email],
  }
}

export type MessageOfContact = ToldOrigin & {
  id: string
  kind: string
  destination: string
  templateId: string | null
  subject: string | null
  status: string
  reason: string | null
  sendingDomain: string | null
  provider: string | null
  providerMessageId: string | null
  createdAt: string
  settledAt: string | null
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

/**
 * Messages to a contact and to those that became part of it, and single ones to its address from before there was a
 * contact; the newest.
 */
export function messagesOfStatement(
  workspaceId: string,
  contact: { id: string; email: string | null },
  limit: number,
): Statement<MessageOfContact> {
  return {
    name: 'exported_messages',
    text: `with theirs as (
        (select m.* from messages m where m.workspace_id = $1 and ${ofContact(`= any (array(
            select $2::bigint union all
            select merged_id from contact_merges where workspace_id = $1 and survivor_id = $2))`)}
          order by m.id desc limit $4)
        union all
        (select m.* from messages m where m.workspace_id = $1 and m.source_id is null and m.destination = lower($3)
            and m.contact_id is null order by m.id desc limit $4)
      )
      select m.id, ${TOLD_ORIGIN}, ${SURFACE} as kind, m.destination, e.template_id as "templateId",
        e.subject, ${emailStatusSql('m.state')} as status,
        m.reason, m.sending_domain as "sendingDomain", m.provider, m.provider_message_id as "providerMessageId",
        m.created_at as "createdAt", m.settled_at as "settledAt", m.opened_at as "openedAt", m.clicked_at as "clickedAt",
        m.unsubscribed_at as "unsubscribedAt", m.bounced_at as "bouncedAt", m.complained_at as "complainedAt"
      from theirs m
      left join emails e on e.workspace_id = $1 and e.message_id = m.id and e.created_at = m.created_at
      order by m.id desc limit $4`,
    values: [workspaceId, contact.id, contact.email, limit],
  }
}
