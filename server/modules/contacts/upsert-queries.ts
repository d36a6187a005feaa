import { ALIAS_FIELDS, ALIASES } from '../../catalogue/contact-fields.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { ContactItem } from './plan-upsert.ts'
import { COLUMNS, type ContactRow, type ContactValues, WRITTEN_COLUMNS, WRITTEN_FIELDS } from './queries.ts'

const HITS = ALIAS_FIELDS.map(
  ({ column }, n) => `select c.id from unnest($${n + 2}::text[]) alias
        join contacts c on c.workspace_id = $1 and c.${column} = alias`,
)

/** Every contact that has an alias of any item, locked in the order of ids. */
export async function contactsToUpsert(
  tx: Queryable,
  workspaceId: string,
  items: readonly ContactItem[],
): Promise<ContactRow[]> {
  const given = ALIASES.map((alias) => new Set(items.flatMap((item) => item.fields[alias] ?? [])))
  const { rows } = await tx.query<ContactRow>({
    name: 'contacts_to_upsert',
    text: `select ${COLUMNS} from contacts c join (
        ${HITS.join('\n        union ')}
      ) hit on hit.id = c.id
      where c.workspace_id = $1 order by c.id for no key update of c`,
    values: [workspaceId, ...given.map((aliases) => textArray([...aliases]))],
  })
  return rows
}

/** Puts into an alias of contacts what no contact can be known by: it has a control character. Their own follow in the transaction. */
export async function holdAliases(
  tx: Queryable,
  workspaceId: string,
  { column, ids }: { column: string; ids: readonly string[] },
): Promise<void> {
  await tx.query({
    name: `hold_alias ${column}`,
    text: `update contacts set ${column} = chr(31) || 'held ' || id where workspace_id = $1 and id = any ($2::int8[])`,
    values: [workspaceId, int8Array(ids)],
  })
}

const NAMES = WRITTEN_COLUMNS.join(', ')
const VALUES = `unnest(${WRITTEN_COLUMNS.map((_, n) => `$${n + 2}::text[]`).join(', ')}`
/** An expression of the new value of each written column. */
const GIVEN = WRITTEN_COLUMNS.map((column) => (column === 'custom_fields' ? 'custom_fields::jsonb' : column))

function columnsOf(contacts: readonly ContactValues[]): Buffer[] {
  return WRITTEN_FIELDS.map((field) => textArray(contacts.map((contact) => contact[field])))
}

const INSERT = `insert into contacts (workspace_id, ${NAMES})
  select $1, ${GIVEN.join(', ')} from ${VALUES}) with ordinality as given (${NAMES}, n) order by n
  returning id`

/** Inserts contacts; answers their ids in the same order. Breaks a unique constraint when somebody else was faster. */
export async function insertContacts(
  tx: Queryable,
  workspaceId: string,
  contacts: readonly ContactValues[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'insert_contacts',
    text: INSERT,
    values: [workspaceId, ...columnsOf(contacts)],
  })
  return rows.map((row) => row.id)
}

const UPDATE = `update contacts c set updated_at = now(),
    ${WRITTEN_COLUMNS.map((column, n) => `${column} = given.${GIVEN[n]}`).join(', ')}
  from ${VALUES}, $${WRITTEN_COLUMNS.length + 2}::int8[]) as given (${NAMES}, id)
  where c.workspace_id = $1 and c.id = given.id`

/** Writes contacts that were read with `contactsToUpsert`. */
export async function updateContactRows(
  tx: Queryable,
  workspaceId: string,
  contacts: readonly (ContactValues & { id: string })[],
): Promise<void> {
  await tx.query({
    name: 'update_contacts',
    text: UPDATE,
    values: [workspaceId, ...columnsOf(contacts), int8Array(contacts.map((contact) => contact.id))],
  })
}
