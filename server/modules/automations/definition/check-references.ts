import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { fieldsNamed } from '../../custom-fields/fields-named.ts'
import { fitValue, UNFIT } from '../../custom-fields/fit-value.ts'
import { holdFields } from '../../custom-fields/hold-fields.ts'
import { parseDefinition } from '../../segments/parse-definition.ts'
import { readRuleGroup } from '../../segments/read-rules.ts'
import { referencesOf } from '../../segments/references.ts'
import { loadFacts } from '../../segments/segment-facts.ts'
import { goneTagFaults, holdTags } from '../../tags/hold-tags.ts'
import { templateSources, templateVersions } from '../../templates/template-sources.ts'
import { holdTopics } from '../../topics/hold-topics.ts'
import { type Definition, fieldOf, type Happening, isDated, isHeard, type RuleText, rulesOfNode } from './definition.ts'
import { notifiedFaults } from './notified-faults.ts'
import { escaped } from './reading.ts'
import { leavesOf, readRunRule } from './run-rules.ts'
import { scheduledSegments, watchedSegments } from './watched-segments.ts'

/** A rule group with its place. */
type Placed = { pointer: string; text: RuleText }

/**
 * Faults of a definition that names what its workspace does not have: segments, custom fields, topics, templates, integrations,
 * other automations; a tag may be one to come, but not one that is gone meanwhile. `segmentIds` are those it needs; none of them, and no endpoint that it calls, is
 * deleted until the transaction ends, and no custom field, tag or topic that is named changes.
 */
export async function checkReferences(
  tx: Transaction,
  workspaceId: string,
  definition: Definition,
): Promise<{ faults: FieldError[]; segmentIds: string[] }> {
  const rules = rulesOf(definition)
  // Before the segments, as those who rename a field do.
  await holdFields(tx, workspaceId)
  const goneTags = await holdTags(tx, workspaceId, tagsOf(definition, rules))
  const topics = await topicFaults(tx, workspaceId, rules)
  const watched = watchedSegments(definition)
  const asked = referencesOf(rules.map(({ text }) => parseDefinition(text).group)).segmentIds
  const named = [...watched, ...scheduledSegments(definition)]
  const segmentIds = [...new Set([...asked, ...named.map(({ id }) => id)])]
  const held = await holdSegments(tx, workspaceId, segmentIds)
  const faults = [
    ...named
      .filter(({ id }) => !held.has(id))
      .map(({ pointer }) => ({ pointer: `${pointer}/segment`, detail: 'is not a segment of this workspace' })),
    ...goneTagFaults(goneTags, '/definition'),
    ...topics,
    ...(await ruleFaults(tx, workspaceId, rules)),
    ...(await fieldFaults(tx, workspaceId, definition)),
    ...(await dateFaults(tx, workspaceId, definition)),
    ...(await templateFaults(tx, workspaceId, definition)),
    ...(await otherFaults(tx, workspaceId, definition)),
    ...(await notifiedFaults(tx, workspaceId, definition)),
  ]
  return { faults, segmentIds }
}

/** All rule groups of a definition. */
export function rulesOf({ enter, nodes }: Definition): Placed[] {
  const ofNodes = Object.entries(nodes).flatMap(([id, node]) =>
    rulesOfNode(node).map(({ pointer, text }) => ({ pointer: `/definition/nodes/${escaped(id)}${pointer}`, text })),
  )
  return enter.if === null ? ofNodes : [{ pointer: '/definition/enter/if', text: enter.if }, ...ofNodes]
}

/** The tags that its steps give and take, that its rules ask for, and that it waits to be given or taken. */
function tagsOf(definition: Definition, rules: readonly Placed[]): string[] {
  const ofNodes = Object.values(definition.nodes).flatMap((node) =>
    node.type === 'tag' ? [...node.add, ...node.remove] : [],
  )
  const ofRules = referencesOf(rules.map(({ text }) => parseDefinition(text).group)).tags
  const ofEvents = happeningsOf(definition).flatMap(({ event, where }) =>
    event === 'contact.tagged' || event === 'contact.untagged'
      ? where.flatMap(({ property, value }) => (property === 'tag' && typeof value === 'string' ? [value] : []))
      : [],
  )
  return [...ofNodes, ...ofRules, ...ofEvents]
}

function happeningsOf({ enter, exit, goal, nodes }: Definition): Pick<Happening, 'event' | 'where'>[] {
  return [
    ...enter.on.flatMap((trigger) => ('event' in trigger ? [trigger] : [])),
    ...exit,
    ...(goal ? [goal] : []),
    ...Object.values(nodes).flatMap((node) => (node.type === 'wait' ? node.for.filter(isHeard) : [])),
  ]
}

async function topicFaults(tx: Transaction, workspaceId: string, rules: readonly Placed[]): Promise<FieldError[]> {
  const named = rules.flatMap(({ pointer, text }) =>
    [...referencesOf([parseDefinition(text).group]).topicIds].map((id) => ({ pointer, id })),
  )
  const unknown = await holdTopics(tx, workspaceId, [...new Set(named.map(({ id }) => id))])
  return named
    .filter(({ id }) => unknown.includes(id))
    .map(({ pointer, id }) => ({ pointer, detail: `names the topic ${id}, which there is not` }))
}

async function ruleFaults(tx: Transaction, workspaceId: string, rules: readonly Placed[]): Promise<FieldError[]> {
  if (rules.length === 0) return []
  const facts = await loadFacts(
    tx,
    workspaceId,
    rules.map(({ text }) => text),
  )
  return rules.flatMap(({ pointer, text }) => {
    const placed = ({ pointer: at, detail }: FieldError) => ({ pointer: at.replace('/definition', pointer), detail })
    const groups = leavesOf(readRunRule(text).rule).flatMap((leaf) => (leaf.kind === 'contact' ? [leaf.group] : []))
    const found = groups.flatMap((group) => {
      const read = readRuleGroup(group, facts)
      return 'faults' in read ? read.faults : []
    })
    const named = [...referencesOf(groups).keys].map((key) => ({ key, now: facts.fields.get(key)?.keys[0] }))
    return [
      ...found.map(placed),
      // A version never changes: what it names must not become another field's.
      ...named.flatMap(({ key, now }) => {
        if (now === key) return []
        const instead = now === undefined ? 'which there is not' : `whose key is “${now}” now`
        return [{ pointer, detail: `names the custom field “${key}”, ${instead}` }]
      }),
    ]
  })
}

async function fieldFaults(tx: Transaction, workspaceId: string, { nodes }: Definition): Promise<FieldError[]> {
  const set = Object.entries(nodes).flatMap(([id, node]) =>
    node.type === 'field'
      ? Object.entries(node.set).map(([key, value]) => ({
          pointer: `/definition/nodes/${escaped(id)}/set/${escaped(key)}`,
          key,
          value,
        }))
      : [],
  )
  if (set.length === 0) return []
  return valueFaults(set, await fieldsNamed(tx, workspaceId, [...new Set(set.map(({ key }) => key))]))
}

/** Triggers by a date and waits for one need a field whose values are some. */
async function dateFaults(tx: Transaction, workspaceId: string, definition: Definition): Promise<FieldError[]> {
  const dates = datesOf(definition)
  if (dates.length === 0) return []
  const fields = await fieldsNamed(tx, workspaceId, [...new Set(dates.map(({ key }) => key))])
  return dates.flatMap(({ key, pointer }) => {
    const field = fields.get(key)
    // Dates are read under the key that a field has.
    const type = field?.key === key && !field.deleting ? field.type : undefined
    if (type === undefined) return [{ pointer, detail: 'is not a custom field of this workspace' }]
    return type === 'date' || type === 'datetime'
      ? []
      : [{ pointer, detail: `is not a date: its values are of the type ${type}` }]
  })
}

/** Custom fields that are meant to be dates, each with its place. */
function datesOf({ enter, nodes }: Definition): { key: string; pointer: string }[] {
  const ofEntry = enter.on.flatMap((one, n) =>
    'date' in one ? [{ key: one.date, pointer: `/definition/enter/on/${n}/date` }] : [],
  )
  const ofNodes = Object.entries(nodes).flatMap(([id, node]) =>
    node.type !== 'wait'
      ? []
      : node.for.flatMap((way, n) =>
          isDated(way) && fieldOf(way) !== undefined
            ? [{ key: way.date, pointer: `/definition/nodes/${escaped(id)}/for/${n}/date` }]
            : [],
        ),
  )
  return [...ofEntry, ...ofNodes]
}

/** Values that a contact would not take: of a field that there is not, or not of the type that was declared. */
export function valueFaults(
  set: readonly { pointer: string; key: string; value: unknown }[],
  fields: Awaited<ReturnType<typeof fieldsNamed>>,
): FieldError[] {
  return set.flatMap(({ pointer, key, value }) => {
    const field = fields.get(key)
    if (field === undefined || field.deleting) return [{ pointer, detail: 'is not a custom field of this workspace' }]
    const fits = value === null || !field.declared || fitValue(field.type, value) !== undefined
    return fits ? [] : [{ pointer, detail: UNFIT[field.type] }]
  })
}

async function templateFaults(tx: Transaction, workspaceId: string, { nodes }: Definition): Promise<FieldError[]> {
  const named = Object.entries(nodes).flatMap(([node, one]) =>
    one.type === 'email' && 'template' in one.content ? [{ node, ...one.content.template }] : [],
  )
  if (named.length === 0) return []
  const current = await templateVersions(
    tx,
    workspaceId,
    named.map(({ id }) => id),
  )
  const refs = named.flatMap(({ id, version }) => (version === null ? [] : [{ id, version }]))
  const sources = await templateSources(tx, workspaceId, refs)
  return named.flatMap(({ node, id, version }) => {
    const at = `/definition/nodes/${escaped(node)}/template`
    if (!current.has(id)) return [{ pointer: `${at}/id`, detail: 'is not a template of this workspace' }]
    if (version === null || sources.has(`${id}/${version}`)) return []
    return [{ pointer: `${at}/version`, detail: 'is not a version of this template' }]
  })
}

async function otherFaults(tx: Transaction, workspaceId: string, { nodes, sender }: Definition): Promise<FieldError[]> {
  const others = Object.entries(nodes).flatMap(([id, node]) =>
    node.type === 'enroll' || node.type === 'leave' ? [{ id, other: node.automation }] : [],
  )
  const called = Object.entries(nodes).flatMap(([id, node]) =>
    node.type === 'webhook' ? [{ id, endpoint: node.endpoint }] : [],
  )
  const { integrationId } = sender
  const soundId = integrationId !== null && /^[0-9]+$/.test(integrationId) && !isBeyondIds(integrationId)
  const { rows } = await tx.query<{ automations: string[]; endpoints: string[]; integration: boolean }>({
    name: 'others_of_automation',
    text: `select array(select id::text from automations where workspace_id = $1 and id = any ($2::int8[])
        and deleted_at is null) as automations,
      array(select id::text from webhook_endpoints where workspace_id = $1 and id = any ($4::int8[])
        order by id for key share) as endpoints,
      exists (select from integrations where workspace_id = $1 and id = $3::int8) as integration`,
    values: [
      workspaceId,
      int8Array(others.map(({ other }) => other)),
      soundId ? integrationId : null,
      int8Array(called.map(({ endpoint }) => endpoint)),
    ],
  })
  const { automations, endpoints, integration } = rows[0]!
  const missing = called.filter(({ endpoint }) => !endpoints.includes(endpoint))
  const uncalled = missing.map(({ id }) => ({
    pointer: `/definition/nodes/${escaped(id)}/endpoint`,
    detail: 'is not a webhook endpoint of this workspace',
  }))
  const unknown = others
    .filter(({ other }) => !automations.includes(other))
    .map(({ id }) => ({
      pointer: `/definition/nodes/${escaped(id)}/automation`,
      detail: 'is not an automation of this workspace',
    }))
  const faults = [...unknown, ...uncalled]
  if (integrationId === null || integration) return faults
  return [...faults, { pointer: '/definition/sender/integrationId', detail: 'is not an integration of this workspace' }]
}

/** Answers those that there are. */
async function holdSegments(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: string }>({
    name: 'hold_segments_of_automation',
    text: 'select id from segments where workspace_id = $1 and id = any ($2::int8[]) order by id for key share',
    values: [workspaceId, int8Array(ids)],
  })
  return new Set(rows.map(({ id }) => id))
}
