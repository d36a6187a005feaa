import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { holdForConsent } from '../consents/hold-for-consent.ts'

export type RequestRow = {
  id: string
  contactId: string
  destination: string
  messageId: string
  requestedAt: string
  confirmedAt: string | null
  /** Of a request that is about one topic. */
  topicId: string | null
}

const REQUEST = `r.id, r.contact_id as "contactId", r.destination, r.message_id as "messageId",
  r.requested_at as "requestedAt", r.confirmed_at as "confirmedAt",
  r.topic_id as "topicId"`

export type Askable = { id: string; email: string }

/**
 * Of contacts those that may be asked by themselves: with an address that was not asked within `hours`, and nothing known
 * of a consent or of an unsubscribe from everything.
 */
export async function askableContacts(
  tx: Transaction,
  workspaceId: string,
  { contactIds, hours }: { contactIds: readonly string[]; hours: number },
): Promise<Askable[]> {
  const { rows } = await tx.query<Askable>({
    name: 'askable_contacts',
    text: `select c.id, c.email from contacts c
      where c.workspace_id = $1 and c.id = any ($2::int8[]) and c.email is not null
        and not exists (select from contact_consents k where k.workspace_id = $1 and k.contact_id = c.id)
        and not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = c.email
          and u.sending_source = 'everything')
        and not exists (select from confirmation_requests r where r.workspace_id = $1 and r.contact_id = c.id
          and r.topic_id is null and r.destination = c.email and r.requested_at > now() - make_interval(hours => $3))
      order by c.id`,
    values: [workspaceId, int8Array(contactIds), hours],
  })
  return rows
}

export type ContactToAsk = {
  email: string | null
  provenance: string | null
  /** Seconds since the last request about the same to the address the contact has now. */
  askedSecondsAgo: number | null
}

/**
 * A contact that somebody wants to ask, locked against being asked twice at once. The facts about it are read by a
 * statement of its own: one that has waited for the lock still sees what was there before.
 */
export async function contactToAsk(
  tx: Transaction,
  workspaceId: string,
  { contactId, topicId }: { contactId: string; topicId: string | null },
): Promise<ContactToAsk | undefined> {
  await holdForConsent(tx, workspaceId, [contactId])
  const { rows } = await tx.query<ContactToAsk>({
    name: 'contact_to_ask',
    text: `select c.email, k.provenance, extract(epoch from now() - r.requested_at)::float8 as "askedSecondsAgo"
      from contacts c
        left join contact_consents k on k.workspace_id = c.workspace_id and k.contact_id = c.id
        left join lateral (select max(requested_at) as requested_at from confirmation_requests r
          where r.workspace_id = c.workspace_id and r.contact_id = c.id and r.destination = c.email
            and r.topic_id is not distinct from $3::bigint) r on true
      where c.workspace_id = $1 and c.id = $2`,
    values: [workspaceId, contactId, topicId],
  })
  return rows[0]
}

export async function insertRequests(
  tx: Transaction,
  workspaceId: string,
  requests: readonly { contactId: string; destination: string; messageId: string }[],
  topicId: string | null,
): Promise<RequestRow[]> {
  const { rows } = await tx.query<RequestRow>({
    name: 'insert_confirmation_requests',
    text: `insert into confirmation_requests as r (workspace_id, contact_id, destination, message_id, topic_id)
      select $1, contact_id, destination, message_id, $5::bigint
      from unnest($2::int8[], $3::text[], $4::int8[]) with ordinality as g(contact_id, destination, message_id, n)
      order by n returning ${REQUEST}`,
    values: [
      workspaceId,
      int8Array(requests.map(({ contactId }) => contactId)),
      textArray(requests.map(({ destination }) => destination)),
      int8Array(requests.map(({ messageId }) => messageId)),
      topicId,
    ],
  })
  return rows
}

/** A request, and the name of the topic that it is about; null when it is about none, or about one that is no more. */
export type NamedRequest = RequestRow & { topicName: string | null }

const NAMED = `${REQUEST}, t.name as "topicName"`
const TOPIC = 'left join topics t on t.workspace_id = r.workspace_id and t.id = r.topic_id and t.deleted_at is null'

/** The requests that messages carry. */
export async function requestsOfMessages(
  tx: Transaction,
  workspaceId: string,
  messageIds: readonly string[],
): Promise<NamedRequest[]> {
  const { rows } = await tx.query<NamedRequest>({
    name: 'confirmation_requests_of_messages',
    text: `select ${NAMED} from confirmation_requests r ${TOPIC}
      where r.workspace_id = $1 and r.message_id = any ($2::int8[])`,
    values: [workspaceId, int8Array(messageIds)],
  })
  return rows
}

type CurrentRequest = NamedRequest & { isCurrent: boolean }

const BY_ID = `select ${NAMED}, c.email is not distinct from r.destination
    and (r.topic_id is null or t.id is not null) as "isCurrent"
  from confirmation_requests r
    join contacts c on c.workspace_id = r.workspace_id and c.id = r.contact_id
    ${TOPIC}
  where r.workspace_id = $1 and r.id = $2`

/** A request; it is current while its contact has the address, and its topic is there. */
export async function requestById(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<CurrentRequest | undefined> {
  const { rows } = await tx.query<CurrentRequest>({
    name: 'confirmation_request',
    text: BY_ID,
    values: [workspaceId, id],
  })
  return rows[0]
}

/**
 * The same, locked, and its contact held. A merge locks contacts before their requests, so the contact comes first here: where it is being
 * merged, the request is another one's after that.
 */
export async function requestForChange(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<CurrentRequest | undefined> {
  if (!(await holdContactOfRequest(tx, workspaceId, id))) return undefined
  const { rows } = await tx.query<CurrentRequest>({
    name: 'confirmation_request_for_change',
    text: `${BY_ID} for update of r`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** Holds the contact that a request is of; false when there is no such request. */
async function holdContactOfRequest(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  for (;;) {
    const { rows } = await tx.query<{ contactId: string }>({
      name: 'contact_of_confirmation_request',
      text: `select contact_id as "contactId" from confirmation_requests where workspace_id = $1 and id = $2`,
      values: [workspaceId, id],
    })
    const [request] = rows
    if (request === undefined) return false
    if ((await holdForConsent(tx, workspaceId, [request.contactId])).length > 0) return true
  }
}

/** Topics that a contact was asked about at its address, which may still be confirmed, and that it has not left since. */
export async function topicsAskedOf(
  tx: Transaction,
  workspaceId: string,
  { contactId, email, days }: { contactId: string; email: string; days: number },
): Promise<Set<string>> {
  const { rows } = await tx.query<{ topicId: string }>({
    name: 'topics_asked_of_contact',
    text: `select r.topic_id as "topicId" from confirmation_requests r
      where r.workspace_id = $1 and r.contact_id = $2 and r.destination = $3 and r.topic_id is not null
        and r.confirmed_at is null and r.requested_at > now() - make_interval(days => $4)
        and not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = r.destination
          and u.sending_source in ('everything', 'topic:' || r.topic_id) and u.created_at >= r.requested_at)`,
    values: [workspaceId, contactId, email, days],
  })
  return new Set(rows.map(({ topicId }) => topicId))
}

/** Takes back what a contact was asked about a topic and has not confirmed: the links lead nowhere. Answers the messages that carry it. */
export async function deleteRequests(
  tx: Transaction,
  workspaceId: string,
  { contactId, topicId }: { contactId: string; topicId: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ messageId: string }>({
    name: 'withdraw_topic_requests',
    text: `delete from confirmation_requests
      where workspace_id = $1 and contact_id = $2 and topic_id = $3 and confirmed_at is null returning message_id as "messageId"`,
    values: [workspaceId, contactId, topicId],
  })
  return rows.map(({ messageId }) => messageId)
}

export async function confirmRequest(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'confirm_request',
    text: 'update confirmation_requests set confirmed_at = now() where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** The next contacts after an id that were there at a time, ascending, locked for what is written of their consent. */
export async function holdNextContacts(
  tx: Transaction,
  workspaceId: string,
  { after, createdBefore, limit }: { after: string; createdBefore: string; limit: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'hold_next_contacts',
    text: `select id from contacts where workspace_id = $1 and id > $2 and created_at <= $3
      order by id limit $4 for no key update`,
    values: [workspaceId, after, createdBefore, limit],
  })
  return rows.map(({ id }) => id)
}

/** Those of some contacts about whose consent nothing is known and who have not unsubscribed from everything. */
export async function withoutConsent(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'without_consent',
    text: `select c.id from contacts c
      where c.workspace_id = $1 and c.id = any ($2::int8[])
        and not exists (select from contact_consents k where k.workspace_id = $1 and k.contact_id = c.id)
        and not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = c.email
          and u.sending_source = 'everything')
      order by c.id`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows.map(({ id }) => id)
}
