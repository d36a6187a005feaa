import { parseExactJson } from '../../../platform/json/exact-json.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { isShallow } from '../../../platform/schema/schemas.ts'
import { isObject } from '../../segments/parse-definition.ts'
import type { Priority } from '../../sending/streams.ts'
import { checkGraph } from './check-graph.ts'
import { type Definition, END, MAIL_CLASSES, type Node, type Sender } from './definition.ts'
import { DEFINITION_CHARS_MAX, NODE_ID_CHARS_MAX, NODES_MAX } from './limits.ts'
import { readEntry, readExits, readGoal } from './read-entry.ts'
import { readNode } from './read-nodes.ts'
import { zoneNamed } from './read-parts.ts'
import { escaped, Reading } from './reading.ts'

const KEYS = [
  ...['format', 'class', 'priority', 'defaultZone', 'sender', 'enter', 'exit', 'goal', 'start', 'nodes', 'layout'],
] as readonly (keyof Definition)[]
/** From the lowest on. */
export const PRIORITY_NAMES = ['low', 'normal', 'high'] as const satisfies readonly Priority[]
const NODE_ID = /^[A-Za-z0-9_-]+$/
const FROM_CHARS_MAX = 320
/** Rule groups and properties are in it with all their own levels; whoever writes JSON calls itself once a level. */
const DEPTH_MAX = 60

/**
 * Reads a definition: its form, and that every way leads somewhere and none in a circle without a rest. `faults` has
 * everything that is wrong, with pointers that begin with `/definition`. References to the workspace's things are for
 * `checkReferences`.
 */
export function readDefinition(given: unknown): { definition: Definition; faults: FieldError[] } {
  if (typeof given === 'object' && given !== null && !isShallow(given, DEPTH_MAX)) {
    const detail = `must be nested at most ${DEPTH_MAX} deep`
    return { definition: readParts(new Reading(), {}), faults: [{ pointer: '/definition', detail }] }
  }
  const reading = new Reading()
  const definition = readParts(reading, given)
  if (!isObject(given)) return { definition, faults: [{ pointer: '/definition', detail: 'must be an object' }] }
  if (reading.faults.length === 0) checkGraph(reading, definition)
  return { definition, faults: reading.faults }
}

/** A definition as it is stored: it was sound when it was written. */
export function storedDefinition(text: string): Definition {
  return readParts(new Reading(), parseExactJson(text))
}

function readParts(reading: Reading, given: unknown): Definition {
  const at = '/definition'
  if (isObject(given) && JSON.stringify(given).length > DEFINITION_CHARS_MAX) {
    reading.fault(at, `must have at most ${DEFINITION_CHARS_MAX} characters as JSON`)
  }
  const value = reading.object(given, at, KEYS)
  if (value.format !== 1) reading.fault(`${at}/format`, 'must be 1')
  return {
    format: 1,
    class: value.class === undefined ? 'marketing' : reading.oneOf(value.class, `${at}/class`, MAIL_CLASSES),
    priority: value.priority === undefined ? 'normal' : reading.oneOf(value.priority, `${at}/priority`, PRIORITY_NAMES),
    defaultZone: readZone(reading, value.defaultZone),
    sender: readSender(reading, value.sender),
    enter: readEntry(reading, value.enter, `${at}/enter`),
    exit: readExits(reading, value.exit, `${at}/exit`),
    goal: readGoal(reading, value.goal, `${at}/goal`),
    start:
      value.start === undefined ? missingStart(reading) : reading.text(value.start, `${at}/start`, NODE_ID_CHARS_MAX),
    nodes: readNodes(reading, value.nodes ?? {}),
    layout: readLayout(reading, value.layout),
  }
}

function missingStart(reading: Reading): string {
  reading.fault('/definition/start', `must be the id of the first node, or "${END}"`)
  return END
}

function readZone(reading: Reading, given: unknown): string {
  if (given === undefined) return 'UTC'
  const zone = typeof given === 'string' ? zoneNamed(given) : undefined
  if (zone !== undefined) return zone
  reading.fault('/definition/defaultZone', 'must be a time zone, such as Europe/Berlin')
  return 'UTC'
}

function readSender(reading: Reading, given: unknown): Sender {
  const at = '/definition/sender'
  if (given === undefined || given === null) return { integrationId: null, fromEmail: null, fromName: null }
  const value = reading.object(given, at, ['integrationId', 'fromEmail', 'fromName'])
  return {
    integrationId: reading.textOrNull(value.integrationId, `${at}/integrationId`, 19),
    fromEmail: reading.textOrNull(value.fromEmail, `${at}/fromEmail`, FROM_CHARS_MAX),
    fromName: reading.textOrNull(value.fromName, `${at}/fromName`, FROM_CHARS_MAX),
  }
}

function readNodes(reading: Reading, given: unknown): Record<string, Node> {
  const at = '/definition/nodes'
  if (!isObject(given)) {
    reading.fault(at, 'must be an object of nodes by their ids')
    return {}
  }
  const entries = Object.entries(given)
  if (entries.length > NODES_MAX) reading.fault(at, `must have at most ${NODES_MAX} nodes`)
  const nodes: [string, Node][] = []
  for (const [id, node] of entries.slice(0, NODES_MAX)) {
    const pointer = `${at}/${escaped(id)}`
    if (id === END) reading.fault(pointer, `must have another id: "${END}" is where runs end`)
    else if (!NODE_ID.test(id) || id.length > NODE_ID_CHARS_MAX) {
      reading.fault(pointer, `must have an id of up to ${NODE_ID_CHARS_MAX} letters, digits, - and _`)
    }
    const read = readNode(reading, node, pointer)
    if (read) nodes.push([id, read])
  }
  return Object.fromEntries(nodes)
}

function readLayout(reading: Reading, given: unknown): Record<string, [number, number]> {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) {
    reading.fault('/definition/layout', 'must be an object of places by the ids of nodes')
    return {}
  }
  const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
  const places: [string, [number, number]][] = []
  for (const [id, place] of Object.entries(given)) {
    if (Array.isArray(place) && place.length === 2 && place.every(isNumber)) places.push([id, [place[0], place[1]]])
    else reading.fault(`/definition/layout/${escaped(id)}`, 'must be two numbers')
  }
  return Object.fromEntries(places)
}
