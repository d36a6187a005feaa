import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactField } from '../../catalogue/contact-fields.ts'
import { int8Array } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { FieldValues } from './contact-fields.ts'
import { TAGS_SHOWN_MAX } from './schemas.ts'

/** A contact as the database gives it; custom fields as JSON text, so that no number loses digits. */
export type ContactRow = Required<FieldValues> & {
  id: string
  customFields: string
  createdAt: string
  updatedAt: string
}

/** Of a contact `c`. */
export const COLUMNS = `c.id, ${CONTACT_FIELDS.map(({ name, column }) => `c.${column} as "${name}"`).join(', ')},
  c.custom_fields::text as "customFields", c.created_at as "createdAt", c.updated_at as "updatedAt"`

/** A contact with what others know of it, as JSON text. */
export type ShownRow = ContactRow & { facts: string }

/** Of a contact `c`, with what stands in tables of others: some index look-ups each. */
export const SHOWN_COLUMNS = `${COLUMNS}, json_build_object(
    'tags', array(select t.name from contact_tags h join tags t on t.workspace_id = c.workspace_id and t.id = h.tag_id
      where h.workspace_id = c.workspace_id and h.contact_id = c.id order by t.name collate "C" limit ${TAGS_SHOWN_MAX}),
    'consent', (select json_build_object('provenance', k.provenance, 'optedInAt', ${utc('k.opted_in_at')},
      'confirmedAt', ${utc('k.confirmed_at')})
      from contact_consents k where k.workspace_id = c.workspace_id and k.contact_id = c.id),
    'topics', array(select json_build_object('topicId', t.id::text, 'name', t.name,
        'state', case when u.id is null then 'subscribed' else 'unsubscribed' end)
      from topics t
      left join topic_subscriptions s on s.workspace_id = t.workspace_id and s.topic_id = t.id and s.contact_id = c.id
      left join unsubscribes u on u.workspace_id = t.workspace_id and u.destination = c.email
        and u.sending_source = 'topic:' || t.id
      where t.workspace_id = c.workspace_id and t.deleted_at is null and (s.contact_id is not null or u.id is not null)
      order by t.name collate "C", t.id),
    'unsubscribedFrom', array(select u.sending_source from unsubscribes u
      where u.workspace_id = c.workspace_id and u.destination = c.email order by u.sending_source collate "C"),
    'isUnproven', exists (select from unproven_contacts p where p.workspace_id = c.workspace_id and p.contact_id = c.id),
    'suppression', (select json_build_object('reason', s.reason, 'createdAt', ${utc('s.created_at')}) from suppressions s
      where s.workspace_id = c.workspace_id and s.destination = c.email))::text as facts`

/** A moment as answers have it, in JSON. */
function utc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

export function shownContactStatement(workspaceId: string, id: string): Statement<ShownRow> {
  return {
    name: 'shown_contact',
    text: `select ${SHOWN_COLUMNS} from contacts c where c.workspace_id = $1 and c.id = $2`,
    values: [workspaceId, id],
  }
}

export async function shownContactsByIds(
  tx: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<ShownRow[]> {
  const { rows } = await tx.query<ShownRow>({
    name: 'shown_contacts_by_ids',
    text: `select ${SHOWN_COLUMNS} from contacts c where c.workspace_id = $1 and c.id = any ($2::int8[]) order by c.id`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

export async function contactsByIds(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<ContactRow[]> {
  const { rows } = await tx.query<ContactRow>({
    name: 'contacts_by_ids',
    text: `select ${COLUMNS} from contacts c where c.workspace_id = $1 and c.id = any ($2::int8[]) order by c.id`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

/** The row, locked until the transaction ends, so that two changes of one contact follow each other. */
export async function contactForChange(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<ContactRow | undefined> {
  const { rows } = await tx.query<ContactRow>({
    name: 'contact_for_change',
    text: `select ${COLUMNS} from contacts c where c.workspace_id = $1 and c.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** The rows, in the order of their ids, locked against changes and new references until the transaction ends. */
export async function contactsForRemoval(
  tx: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<ContactRow[]> {
  const { rows } = await tx.query<ContactRow>({
    name: 'contacts_for_removal',
    text: `select ${COLUMNS} from contacts c where c.workspace_id = $1 and c.id = any ($2::bigint[])
      order by c.id for update`,
    values: [workspaceId, ids],
  })
  return rows
}

/** Takes their tags with them. */
export async function deleteContactRows(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<void> {
  await tx.query({
    name: 'delete_contacts',
    text: 'delete from contacts where workspace_id = $1 and id = any ($2::int8[])',
    values: [workspaceId, int8Array(ids)],
  })
}

export type ContactValues = Required<FieldValues> & { customFields: string }
export const BLANK_FIELDS = Object.fromEntries(CONTACT_FIELD_NAMES.map((field) => [field, null])) as Record<
  ContactField,
  null
>

/** Columns that writers set, and the fields whose values they set them to, in the same order. */
export const WRITTEN_COLUMNS = [...CONTACT_FIELDS.map(({ column }) => column), 'custom_fields']
export const WRITTEN_FIELDS = [...CONTACT_FIELD_NAMES, 'customFields'] as const
const parametersFrom = (first: number) => [
  ...CONTACT_FIELDS.map((_, n) => `$${first + n}`),
  `$${first + CONTACT_FIELDS.length}::jsonb`,
]
const valuesOf = (contact: ContactValues) => WRITTEN_FIELDS.map((field) => contact[field])

const INSERT = `insert into contacts as c (workspace_id, ${WRITTEN_COLUMNS.join(', ')})
  values ($1, ${parametersFrom(2).join(', ')}) returning ${COLUMNS}`

export async function insertContact(tx: Queryable, workspaceId: string, contact: ContactValues): Promise<ContactRow> {
  const { rows } = await tx.query<ContactRow>({
    name: 'insert_contact',
    text: INSERT,
    values: [workspaceId, ...valuesOf(contact)],
  })
  return rows[0]!
}

const UPDATE = `update contacts c set updated_at = now(),
    ${parametersFrom(3)
      .map((parameter, n) => `${WRITTEN_COLUMNS[n]} = ${parameter}`)
      .join(', ')}
  where c.workspace_id = $1 and c.id = $2 returning ${COLUMNS}`

export async function updateContactRow(
  tx: Queryable,
  key: { workspaceId: string; id: string },
  contact: ContactValues,
): Promise<ContactRow> {
  const { rows } = await tx.query<ContactRow>({
    name: 'update_contact',
    text: UPDATE,
    values: [key.workspaceId, key.id, ...valuesOf(contact)],
  })
  return rows[0]!
}
