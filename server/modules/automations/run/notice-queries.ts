import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import type { Contact } from '../../contacts/schemas.ts'
import { mergePeople } from '../../templates/merge-people.ts'
import type { Definition } from '../definition/definition.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { NAMED_MAX, type TellKey } from './note-notices.ts'
import type { Variables } from './variables.ts'
import { type Visit, variablesAt, visitKey } from './variables-at.ts'

/** Somebody who waits to be named, by the run and the visit. */
export type Named = {
  id: string
  version: number
  node: string
  contactId: string
  contact: Contact
  who: string
  cameAt: string
  properties: Record<string, unknown>
  variables: Variables
}
export type Waiting = {
  /** Null: the team was never told of this automation. */
  toldMsAgo: number | null
  place: { automation: string; workspace: string; slug: string }
  definitions: ReadonlyMap<number, Definition>
  named: readonly Named[]
}
/** A step at which people wait to be told of. */
export type Held = { slot: number; version: number; node: string; people: string; since: string }

type NamedRow = Omit<Named, 'contact' | 'who' | 'properties' | 'variables'> & Visit & { data: string | null }

/** Everything that a mail about those who wait is made of. */
export async function waitingNotices(tx: Transaction, key: TellKey): Promise<Waiting> {
  const { workspaceId, automationId } = key
  const { rows: places } = await tx.query<Waiting['place'] & { toldMsAgo: number | null }>({
    name: 'place_of_notices',
    text: `select a.name as automation, w.name as workspace, w.slug,
        (extract(epoch from now() - p.told_at) * 1000)::float8 as "toldMsAgo"
      from automations a join workspaces w on w.id = a.workspace_id
      left join automation_notice_paces p on p.workspace_id = a.workspace_id and p.automation_id = a.id
      where a.workspace_id = $1 and a.id = $2`,
    values: [workspaceId, automationId],
  })
  const { rows } = await tx.query<NamedRow>({
    name: 'people_of_notices',
    text: `select n.run_id || '/' || n.visit as id, n.version, n.node, n.contact_id as "contactId", n.came_at as "cameAt",
        n.run_id as "runId", n.visit, e.data::text as data
      from (
        select *, row_number() over (partition by version, node order by came_at, run_id, visit) as place
        from automation_notice_people where workspace_id = $1 and automation_id = $2) n
      left join events e on e.workspace_id = $1 and e.id = n.event_id and e.recorded_at = n.event_at
      where n.place <= ${NAMED_MAX} order by n.version, n.node, n.place`,
    values: [workspaceId, automationId],
  })
  const people = await mergePeople(tx, workspaceId, [...new Set(rows.map(({ contactId }) => contactId))])
  const byId = new Map(people.map((contact) => [contact.id, contact]))
  const kept = await variablesAt(tx, workspaceId, rows)
  const named = rows.flatMap(({ data, ...row }) => {
    const contact = byId.get(row.contactId)
    const properties = data === null ? {} : (parseExactJson(data) as Record<string, unknown>)
    const variables = kept.get(visitKey(row)) ?? {}
    return contact ? [{ ...row, contact, properties, variables, who: nameOf(contact) }] : []
  })
  const { toldMsAgo, ...place } = places[0] ?? { toldMsAgo: null, automation: '', workspace: '', slug: '' }
  const definitions = await loadDefinitions(tx, key, [...new Set(rows.map(({ version }) => version))])
  return { toldMsAgo, place, definitions, named }
}

/** `Ada Lovelace (ada@example.com)`, as far as it is known. */
function nameOf({ id, firstName, lastName, email, subjectId, phone }: Contact): string {
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const alias = email ?? subjectId ?? phone ?? `contact ${id}`
  return name === '' ? alias : `${name} (${alias})`
}

/** Takes all who wait, with the names of those who are still there. No turn adds to them until the transaction ends. */
export async function takeHeld(
  tx: Transaction,
  { workspaceId, automationId }: TellKey,
): Promise<{ held: Held[]; stillNamed: Set<string> }> {
  const { rows: held } = await tx.query<Held>({
    name: 'hold_notices',
    text: `select slot, version, node, people, since from automation_notices where workspace_id = $1 and automation_id = $2
      order by slot, version, node for update`,
    values: [workspaceId, automationId],
  })
  if (held.length === 0) return { held, stillNamed: new Set() }
  const values = [
    ...[workspaceId, automationId],
    int8Array(held.map(({ slot }) => String(slot))),
    int8Array(held.map(({ version }) => String(version))),
    textArray(held.map(({ node }) => node)),
  ]
  const { rows } = await tx.query<{ id: string }>({
    name: 'take_named',
    text: takeFrom('automation_notice_people', true),
    values,
  })
  await tx.query({ name: 'take_notices', text: takeFrom('automation_notices', false), values })
  return { held, stillNamed: new Set(rows.map(({ id }) => id)) }
}

const takeFrom = (table: string, isNamed: boolean) =>
  `delete from ${table} n using unnest($3::int8[], $4::int8[], $5::text[]) as g(slot, version, node)
   where n.workspace_id = $1 and n.automation_id = $2 and n.slot = g.slot and n.version = g.version and n.node = g.node
   ${isNamed ? `returning n.run_id || '/' || n.visit as id` : ''}`

/** Notes that the team is told now. */
export async function notePace(tx: Transaction, { workspaceId, automationId }: TellKey): Promise<void> {
  await tx.query({
    name: 'note_pace_of_notices',
    text: `insert into automation_notice_paces (workspace_id, automation_id, told_at) values ($1, $2, now())
      on conflict (workspace_id, automation_id) do update set told_at = excluded.told_at`,
    values: [workspaceId, automationId],
  })
}
