import { sql } from 'kysely'
import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { rowsBefore } from '../../platform/http/paging.ts'
import type { ContactChange } from './contact-fields.ts'

/** A contact as the database gives it; custom fields as JSON text, so that no number loses digits. */
export type ContactRow = Required<ContactChange> & {
  id: string
  customFields: string
  createdAt: string
  updatedAt: string
}

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

export type ContactFilter = {
  email?: string | undefined
  subjectId?: string | undefined
  phone?: string | undefined
  updatedSince?: string | undefined
}

type Tables = {
  contacts: {
    workspace_id: string
    id: string
    subject_id: string
    email: string
    phone: string
    updated_at: string
  }
}
const build = createQueryBuilder<Tables>()

function filtered(workspaceId: string, filter: ContactFilter) {
  let query = build.selectFrom('contacts').where('workspace_id', '=', workspaceId)
  if (filter.email !== undefined) query = query.where('email', '=', filter.email)
  if (filter.subjectId !== undefined) query = query.where('subject_id', '=', filter.subjectId)
  if (filter.phone !== undefined) query = query.where('phone', '=', filter.phone)
  if (filter.updatedSince !== undefined) query = query.where('updated_at', '>=', filter.updatedSince)
  return query
}

/** Skips to the page on the primary key's index alone, then reads the page's rows. */
export function contactsPage(workspaceId: string, filter: ContactFilter, page: { page: number; pageSize: number }) {
  const keys = filtered(workspaceId, filter).select('id').orderBy('id').limit(page.pageSize).offset(rowsBefore(page))
  const { text, values } = statementOf(keys)
  return {
    text: `select ${COLUMNS} from (${text}) page
      join contacts c on c.workspace_id = $${values.length + 1} and c.id = page.id order by c.id`,
    values: [...values, workspaceId],
  }
}

/** The exact total: kept by the counters for the whole list, counted on an index for a filtered one. */
export function contactsTotal(workspaceId: string, filter: ContactFilter) {
  if (Object.values(filter).every((value) => value === undefined)) {
    return {
      name: 'contacts_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'contacts'`,
      values: [workspaceId],
    }
  }
  return statementOf(filtered(workspaceId, filter).select(sql<string>`count(*)`.as('total')))
}
