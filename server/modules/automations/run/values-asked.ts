import { CONTACT_FIELDS } from '../../../catalogue/contact-fields.ts'
import { shortenedText } from '../../../platform/cut-text.ts'
import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { RuleGroup } from '../../segments/parse-definition.ts'
import { referencesOf } from '../../segments/references.ts'
import { type RuleText, TRIGGER, VARIABLE } from '../definition/definition.ts'
import { leavesOf, storedRunRule } from '../definition/run-rules.ts'
import { valuesOf } from './values-of.ts'
import type { Variables } from './variables.ts'

/** Somebody of whom rules are asked. */
export type Asking = { contactId: string; eventId: string | null; variables: Variables }

/** Values by the names that rules give them: `{"custom:plan": "free", "event.total": 12, "tag": ["vip"]}`. */
export type ValuesAsked = Readonly<Record<string, unknown>>

/** Of one decision; a longer text is cut, and so is the text of a list or an object. */
const VALUES_MAX = 20
const VALUE_CHARS_MAX = 200
const CUSTOM = 'custom:'
const TAG = 'tag'

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ...CONTACT_FIELDS.flatMap(({ name, column }) => [[name, column] as const, [column, column] as const]),
  ...[['createdAt', 'created_at'] as const, ['updatedAt', 'updated_at'] as const],
  ...[['created_at', 'created_at'] as const, ['updated_at', 'updated_at'] as const],
])

/**
 * Values of people that rules ask for: fields, tags, properties of the event that brought them in and variables. Null where they
 * have none; whoever is asked nothing of the kind has no entry.
 */
export async function valuesAsked<A extends Asking>(
  tx: Transaction,
  workspaceId: string,
  { of, rules }: { of: readonly A[]; rules: readonly RuleText[] },
): Promise<ReadonlyMap<A, ValuesAsked>> {
  const { names, tags } = namesIn(rules)
  if (of.length === 0 || (names.length === 0 && tags.length === 0)) return new Map()
  const keysOf = (prefix: string) =>
    names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  const ids = of.map(({ contactId }) => contactId)
  const custom = await valuesOf(tx, workspaceId, { of: 'contacts', ids, keys: keysOf(CUSTOM) })
  const trigger = { of: 'events' as const, ids: of.map(({ eventId }) => eventId), keys: keysOf(TRIGGER) }
  const properties = await valuesOf(tx, workspaceId, trigger)
  const asked = [...new Set(names.flatMap((name) => COLUMNS.get(name) ?? []))]
  const columns = await columnsOf(tx, workspaceId, { ids, columns: asked })
  const tagged = tags.length > 0 ? await tagsOf(tx, workspaceId, { ids, tags }) : new Map()
  const valueFor = ({ contactId, eventId, variables }: A, name: string): unknown => {
    if (name.startsWith(CUSTOM)) return custom.get(contactId)?.[name.slice(CUSTOM.length)]
    if (name.startsWith(VARIABLE)) return variables[name.slice(VARIABLE.length)]
    if (name.startsWith(TRIGGER)) return eventId === null ? null : properties.get(eventId)?.[name.slice(TRIGGER.length)]
    return columns.get(contactId)?.[COLUMNS.get(name)!]
  }
  return new Map(
    of.map((one): [A, ValuesAsked] => {
      const found = names.map((name) => [name, shortened(valueFor(one, name))] as const)
      return [one, Object.fromEntries(tags.length > 0 ? [...found, [TAG, tagged.get(one.contactId) ?? []]] : found)]
    }),
  )
}

function namesIn(rules: readonly RuleText[]): { names: readonly string[]; tags: readonly string[] } {
  const leaves = rules.flatMap((text) => leavesOf(storedRunRule(text)))
  const groups = leaves.flatMap((leaf) => (leaf.kind === 'contact' ? [leaf.group] : []))
  const names = leaves.flatMap((leaf) => {
    if (leaf.kind === 'contact')
      return fieldsOf(leaf.group).filter((field) => field.startsWith(CUSTOM) || COLUMNS.has(field))
    if (leaf.kind === 'clicked') return []
    return [(leaf.kind === 'trigger' ? TRIGGER : VARIABLE) + leaf.test.property]
  })
  return { names: [...new Set(names)].slice(0, VALUES_MAX), tags: [...referencesOf(groups).tags].slice(0, VALUES_MAX) }
}

const fieldsOf = (group: RuleGroup): string[] =>
  group.rules.flatMap((node) => ('rules' in node ? fieldsOf(node) : [node.field]))

/** Those columns alone that are asked for, of a closed list. */
async function columnsOf(
  tx: Transaction,
  workspaceId: string,
  { ids, columns }: { ids: readonly string[]; columns: readonly string[] },
): Promise<ReadonlyMap<string, Readonly<Record<string, string | null>>>> {
  if (columns.length === 0) return new Map()
  const { rows } = await tx.query<{ id: string } & Record<string, string | null>>({
    text: `select id, ${columns.join(', ')} from contacts where workspace_id = $1 and id = any ($2::int8[])`,
    values: [workspaceId, int8Array(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

async function tagsOf(
  tx: Transaction,
  workspaceId: string,
  { ids, tags }: { ids: readonly string[]; tags: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await tx.query<{ id: string; names: string[] }>({
    name: 'tags_that_rules_ask',
    text: `select ct.contact_id as id, array_agg(t.name order by t.name) as names
      from (select distinct lower(unnest($3::text[])) as folded) given
      join tags t on t.workspace_id = $1 and t.folded_name = given.folded
      join contact_tags ct on ct.workspace_id = $1 and ct.tag_id = t.id and ct.contact_id = any ($2::int8[])
      group by ct.contact_id`,
    values: [workspaceId, int8Array(ids), textArray(tags)],
  })
  return new Map(rows.map(({ id, names }) => [id, names]))
}

function shortened(value: unknown): unknown {
  if (value === undefined || value === null) return null
  const isText = typeof value === 'string'
  const text = isText ? value : JSON.stringify(value)
  return text.length <= VALUE_CHARS_MAX ? value : shortenedText(text, VALUE_CHARS_MAX)
}
