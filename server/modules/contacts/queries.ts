import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { ContactChange } from './contact-fields.ts'

/** A contact as the database gives it; custom fields as JSON text, so that no number loses digits. */
export type ContactRow = Required<ContactChange> & {
  id: string
  customFields: string
  createdAt: string
  updatedAt: string
}

/** Of a contact `c`. */
export const COLUMNS = `c.id, c.subject_id as "subjectId", c.email, c.phone, c.first_name as "firstName",
  c.last_name as "lastName", c.time_zone as "timeZone", c.custom_fields::text as "customFields",
  c.created_at as "createdAt", c.updated_at as "updatedAt"`

export function contactById(workspaceId: string, id: string) {
  return {
    name: 'contact_by_id',
    text: `select ${COLUMNS} from contacts c where c.workspace_id = $1 and c.id = $2`,
    values: [workspaceId, id],
  }
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

/** Takes its tags and enrollments with it. */
export async function deleteContactRow(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_contact',
    text: 'delete from contacts where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export type ContactValues = Required<ContactChange> & { customFields: string }

const valuesOf = (contact: ContactValues) => [
  contact.subjectId,
  contact.email,
  contact.phone,
  contact.firstName,
  contact.lastName,
  contact.timeZone,
  contact.customFields,
]

export async function insertContact(tx: Queryable, workspaceId: string, contact: ContactValues): Promise<ContactRow> {
  const { rows } = await tx.query<ContactRow>({
    name: 'insert_contact',
    text: `insert into contacts as c
        (workspace_id, subject_id, email, phone, first_name, last_name, time_zone, custom_fields)
      values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb) returning ${COLUMNS}`,
    values: [workspaceId, ...valuesOf(contact)],
  })
  return rows[0]!
}

export async function updateContactRow(
  tx: Queryable,
  key: { workspaceId: string; id: string },
  contact: ContactValues,
): Promise<ContactRow> {
  const { rows } = await tx.query<ContactRow>({
    name: 'update_contact',
    text: `update contacts c set subject_id = $3, email = $4, phone = $5, first_name = $6, last_name = $7, time_zone = $8,
        custom_fields = $9::jsonb, updated_at = now()
      where c.workspace_id = $1 and c.id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, ...valuesOf(contact)],
  })
  return rows[0]!
}
