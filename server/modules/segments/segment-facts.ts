import { unprocessable } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import type { FieldType } from '../custom-fields/fit-value.ts'
import type { Condition, ValueType } from './conditions.ts'
import { parseDefinition } from './parse-definition.ts'
import { segmentsReached, tagsNamed } from './queries.ts'
import { type CustomField, readRules, type SegmentFacts } from './read-rules.ts'
import { type References, referencesOf } from './references.ts'

const TYPE_OF_FIELD: Readonly<Record<FieldType, ValueType>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  datetime: 'time',
  date: 'time',
}

/** Facts the workspace has about everything that the definitions, and the segments behind them, speak of. */
export async function loadFacts(
  tx: Transaction,
  workspaceId: string,
  definitions: readonly string[],
): Promise<SegmentFacts> {
  const groupsOf = (texts: readonly string[]) => texts.map((text) => parseDefinition(text).group)
  const direct = referencesOf(groupsOf(definitions))
  const ids = [...direct.segmentIds]
  const reached = ids.length === 0 ? [] : await segmentsReached(tx, workspaceId, ids)
  const behind = referencesOf(groupsOf(reached.map((segment) => segment.definition)))
  const asked = { keys: [...direct.keys, ...behind.keys], tags: [...direct.tags, ...behind.tags] }
  const [fields, tags] = await Promise.all([
    customFieldsOf(tx, workspaceId, asked.keys),
    asked.tags.length === 0 ? [] : tagsNamed(tx, workspaceId, asked.tags),
  ])
  return {
    now: new Date().toISOString(),
    fields,
    tagIds: new Map(tags.map(({ given, id }) => [given, id])),
    segments: new Map(reached.map((segment) => [segment.id, segment])),
  }
}

/** By the keys that definitions write, which fields may have had before renames; without those that are being deleted. */
async function customFieldsOf(
  tx: Transaction,
  workspaceId: string,
  written: readonly string[],
): Promise<Map<string, CustomField>> {
  const fields = await fieldsNamed(tx, workspaceId, [...new Set(written)])
  return new Map(
    [...fields].flatMap(([given, { key, previousKey, type, deleting }]) =>
      deleting ? [] : [[given, { type: TYPE_OF_FIELD[type], keys: previousKey === null ? [key] : [key, previousKey] }]],
    ),
  )
}

/** The condition of a definition in its workspace. Throws a 422 whose pointers lead to the rules at fault. */
export async function conditionOf(tx: Transaction, workspaceId: string, definition: string): Promise<Condition> {
  return requireSound(definition, await loadFacts(tx, workspaceId, [definition]))
}

/** Throws a 422 for a definition that does not hold; `self` is the id of the segment it is of. */
export function requireSound(definition: string, facts: SegmentFacts, self?: string): Condition {
  const read = readRules(definition, facts, self)
  if ('faults' in read) throw unprocessable(read.faults)
  return read.condition
}

export function usedSegments(definition: string): References['segmentIds'] {
  return referencesOf([parseDefinition(definition).group]).segmentIds
}
