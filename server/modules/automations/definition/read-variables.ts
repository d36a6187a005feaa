import { isObject } from '../../segments/parse-definition.ts'
import { type Definition, isHeard, type SetNode, type SignalWay, type VariableValue } from './definition.ts'
import { PROPERTY_CHARS_MAX, VARIABLE_CHARS_MAX, VARIABLE_NAME_CHARS_MAX, VARIABLES_MAX } from './limits.ts'
import { readTarget } from './read-target.ts'
import { escaped, type Reading } from './reading.ts'

/** Names as templates can have them behind a dot. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function readSet(reading: Reading, given: unknown, at: string): SetNode {
  const value = reading.object(given, at, ['type', 'set', 'to'])
  const set = readNamed(reading, value.set, { at: `${at}/set`, read: (one, here) => readValue(reading, one, here) })
  if (Object.keys(set).length === 0) reading.fault(`${at}/set`, 'must be an object of variables and their values')
  return { type: 'set', set, to: readTarget(reading, value.to, `${at}/to`) }
}

/** Variables that become properties of an awaited event; nothing where none do. */
export function readSetOfEvent(reading: Reading, given: unknown, at: string): Pick<SignalWay, 'set'> {
  if (given === undefined || given === null) return {}
  return { set: readNamed(reading, given, { at, read: (one, here) => reading.text(one, here, PROPERTY_CHARS_MAX) }) }
}

type Reader<T> = { at: string; read: (given: unknown, at: string) => T }

function readNamed<T>(reading: Reading, given: unknown, { at, read }: Reader<T>): Record<string, T> {
  if (!isObject(given)) {
    reading.fault(at, 'must be an object by the names of variables')
    return {}
  }
  const entries = Object.entries(given)
  if (entries.length > VARIABLES_MAX) reading.fault(at, `must have at most ${VARIABLES_MAX} variables`)
  return Object.fromEntries(
    entries.slice(0, VARIABLES_MAX).map(([name, one]) => {
      const here = `${at}/${escaped(name)}`
      if (!isVariableName(name)) {
        const chars = `up to ${VARIABLE_NAME_CHARS_MAX} letters, digits and _, the first no digit`
        reading.fault(here, `must have a name of ${chars}`)
      }
      return [name, read(one, here)]
    }),
  )
}

export const isVariableName = (name: string) => NAME.test(name) && name.length <= VARIABLE_NAME_CHARS_MAX

function readValue(reading: Reading, given: unknown, at: string): VariableValue {
  if (isObject(given)) {
    const { event } = reading.object(given, at, ['event'])
    return { event: reading.text(event, `${at}/event`, PROPERTY_CHARS_MAX) }
  }
  if (given === null || typeof given === 'boolean' || (typeof given === 'number' && Number.isFinite(given)))
    return given
  if (typeof given === 'string' && given.length <= VARIABLE_CHARS_MAX) return given
  const of = '{"event": "…"} for a property of what brought the person in'
  reading.fault(at, `must be text of up to ${VARIABLE_CHARS_MAX} characters, a number, true, false, null, or ${of}`)
  return null
}

/** Whether runs of a version may have variables. */
export function setsVariables(definition: Definition | undefined): boolean {
  return Object.values(definition?.nodes ?? {}).some(
    (node) => node.type === 'set' || (node.type === 'wait' && node.for.some((way) => isHeard(way) && way.set)),
  )
}
