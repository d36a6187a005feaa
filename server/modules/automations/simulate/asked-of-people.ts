import type { Condition, PropertyTest } from '../../segments/conditions.ts'
import { readRuleGroup, type SegmentFacts } from '../../segments/read-rules.ts'
import { rulesOf } from '../definition/check-references.ts'
import {
  type Definition,
  fieldOf,
  isDated,
  isHeard,
  type Match,
  type Node,
  propertyOf,
  type WaitWay,
  type Where,
} from '../definition/definition.ts'
import { listensOf } from '../definition/listens.ts'
import { leavesOf, storedRunRule } from '../definition/run-rules.ts'

/** Everything that definitions ask of people, which is all that is read of them. */
export type AskedOfPeople = {
  /** Names of events that anybody listens to: read within the window alone. */
  listened: readonly string[]
  /** Names of events that rules count: read from the beginning. */
  counted: readonly string[]
  /** Properties of events. */
  properties: readonly string[]
  columns: readonly string[]
  customKeys: readonly string[]
  tagIds: readonly string[]
  topicIds: readonly string[]
  /** Ids of nodes whose clicks rules ask for. */
  clicked: readonly string[]
}

export const TAG_EVENTS = ['contact.tagged', 'contact.untagged']
/** Which tag an event is of, and which run has caused an event. */
const OWN_PROPERTIES = ['tagId', 'cause', 'sendingSource']

/** Everything that some definitions ask for. Rules that do not hold in their workspace ask for nothing. */
export function askedBy(definitions: readonly Definition[], facts: SegmentFacts): AskedOfPeople {
  const asked = {
    ...{ listened: new Set<string>(), counted: new Set<string>(), properties: new Set(OWN_PROPERTIES) },
    ...{ columns: new Set<string>(), customKeys: new Set<string>(), tagIds: new Set<string>() },
    ...{ topicIds: new Set<string>(), clicked: new Set<string>() },
  }
  for (const definition of definitions) {
    for (const { name } of listensOf(definition)) asked.listened.add(name)
    for (const property of propertiesOf(definition)) asked.properties.add(property)
    for (const way of Object.values(definition.nodes).flatMap((node) => (node.type === 'wait' ? node.for : []))) {
      if (isDated(way) && fieldOf(way) !== undefined) asked.customKeys.add(way.date)
    }
    for (const leaf of rulesOf(definition).flatMap(({ text }) => leavesOf(storedRunRule(text)))) {
      if (leaf.kind === 'trigger') asked.properties.add(leaf.test.property)
      else if (leaf.kind === 'clicked') asked.clicked.add(leaf.node)
      else if (leaf.kind === 'contact') {
        const read = readRuleGroup(leaf.group, facts)
        if ('condition' in read) addCondition(asked, read.condition)
      }
    }
  }
  return Object.fromEntries(Object.entries(asked).map(([of, names]) => [of, [...names]])) as unknown as AskedOfPeople
}

const ofPlace = ({ where, match = {} }: { where: Where; match?: Match }) => [
  ...where.map(({ property }) => property),
  ...Object.entries(match).flat(),
]

/** The properties of a trigger or an event that a way out of a wait asks for. */
function ofWay(way: WaitWay): string[] {
  if (isHeard(way)) return [...ofPlace(way), ...Object.values(way.set ?? {})]
  return isDated(way) ? [propertyOf(way) ?? []].flat() : []
}

type Asked = { [K in keyof AskedOfPeople]: Set<string> }

function addCondition(asked: Asked, condition: Condition): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
      for (const part of condition.of) addCondition(asked, part)
      return
    case 'not':
      addCondition(asked, condition.of)
      return
    case 'present':
    case 'compares':
      if ('column' in condition.subject) asked.columns.add(condition.subject.column)
      else for (const key of condition.subject.custom) asked.customKeys.add(key)
      return
    case 'tagged':
      for (const id of condition.tagIds) asked.tagIds.add(id)
      return
    case 'subscribed':
      for (const id of condition.topicIds) asked.topicIds.add(id)
      return
    case 'performed':
      asked.counted.add(condition.name)
      for (const { property } of condition.where as readonly PropertyTest[]) asked.properties.add(property)
  }
}

function propertiesOf({ enter, exit, goal, nodes }: Definition): string[] {
  return [
    ...enter.on.flatMap((trigger) => ('event' in trigger ? ofPlace(trigger) : [])),
    ...exit.flatMap(ofPlace),
    ...(goal === null ? [] : [...ofPlace(goal), ...(goal.value === null ? [] : [goal.value])]),
    ...(enter.again.key === null ? [] : [enter.again.key]),
    ...Object.values(nodes).flatMap((node) => (node.type === 'wait' ? node.for.flatMap(ofWay) : ofSet(node))),
  ]
}

/** The properties of a trigger that a step takes into variables. */
function ofSet(node: Node): string[] {
  if (node.type !== 'set') return []
  return Object.values(node.set).flatMap((value) => (typeof value === 'object' && value !== null ? [value.event] : []))
}
