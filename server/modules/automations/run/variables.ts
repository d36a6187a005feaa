import type { SetNode } from '../definition/definition.ts'
import { VARIABLE_CHARS_MAX, VARIABLES_BYTES_MAX, VARIABLES_MAX } from '../definition/limits.ts'

/** Variables of a run by name: texts, numbers, true and false. */
export type Variables = Readonly<Record<string, string | number | boolean>>
type Given = Readonly<Record<string, unknown>>

/** `set`: values as they are now, null of one that is no more. `notSet`: those that are no value, or too much. */
export type Setting = { variables: Variables; set: Given; notSet: readonly string[] }

/**
 * Variables after some were given, one after the other. Nothing and null take one away. Lists, objects and long texts are not
 * taken, nor is anything beyond the limits of all of them: the variable stays as it was.
 */
export function withVariables(before: Variables, given: Given): Setting {
  let variables = before
  const set: Record<string, unknown> = {}
  const notSet: string[] = []
  for (const [name, one] of Object.entries(given)) {
    const { [name]: _, ...others } = variables
    if (one === undefined || one === null) {
      if (Object.hasOwn(variables, name)) set[name] = null
      variables = others
      continue
    }
    const value = taken(one)
    const next = value === undefined ? undefined : { ...others, [name]: value }
    if (next === undefined || isTooMuch(next)) notSet.push(name)
    else {
      variables = next
      set[name] = value
    }
  }
  return { variables, set, notSet }
}

/** Numbers that no double holds are kept as their digits. */
function taken(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = JSON.isRawJSON(value) ? value.rawJSON : value
  return typeof text === 'string' && text.length <= VARIABLE_CHARS_MAX ? text : undefined
}

function isTooMuch(variables: Variables): boolean {
  if (Object.keys(variables).length > VARIABLES_MAX) return true
  return Buffer.byteLength(JSON.stringify(variables)) > VARIABLES_BYTES_MAX
}

/** The values of a node, given the properties of what brought the person in. */
export function givenBy({ set }: SetNode, trigger: Given): Given {
  return mapped(set, (value) =>
    typeof value === 'object' && value !== null ? propertyOf(trigger, value.event) : value,
  )
}

/** The values that a way out of a wait takes from its event. */
export function givenByEvent(set: Readonly<Record<string, string>>, event: Given): Given {
  return mapped(set, (property) => propertyOf(event, property))
}

const propertyOf = (data: Given, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)

const mapped = <V>(set: Readonly<Record<string, V>>, value: (one: V) => unknown): Given =>
  Object.fromEntries(Object.entries(set).map(([name, one]) => [name, value(one)]))

/** Variables as they are stored. */
export const storedVariables = (json: string | null): Variables => (json === null ? NONE : JSON.parse(json))
const NONE: Variables = {}

/** Those of a run for the trace of a step that tells them somebody: it is told later, by the trace. */
export const seenVariables = ({ variables }: { variables: Variables }): { variables?: Variables } =>
  Object.keys(variables).length === 0 ? {} : { variables }

/** The part of it that the trace keeps. */
export const seenOf = ({ set, notSet }: Setting): Record<string, unknown> =>
  notSet.length === 0 ? { set } : { set, notSet }
