import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import Format from 'typebox/format'
import { type FieldError, pointerTo } from '../problem.ts'
import { compileAtUse } from './compile-at-use.ts'
import { isTimeAt, unknownField } from './did-you-mean.ts'
import { isTimestamp, settleTimes } from './timestamps.ts'

/** Unknown fields of one request whose meaning is guessed: it costs some microseconds each, and anybody may send 100,000. */
const GUESSES_MAX = 20

Format.Set('date-time', isTimestamp)

/**
 * Makes a check of one item of a list whose items succeed and fail by themselves. Its faults are as those of a body;
 * pointers begin at the item.
 */
export function compileItemCheck<S extends TSchema>(schema: S) {
  refuseOpenObjects(schema, 'an item')
  const validator = compileAtUse(() => Compile(schema))
  const settle = settleTimes(schema) ?? ((item: unknown) => item)
  return (item: unknown): { item: Static<S> } | { errors: FieldError[] } =>
    validator().Check(item)
      ? { item: settle(item) as Static<S> }
      : { errors: fieldErrors(validator().Errors(item), schema) }
}

/** Every object of a body's schema says whether it takes unknown fields; forgetting it would ignore typing errors. */
export function refuseOpenObjects(schema: unknown, where: string): void {
  if (typeof schema !== 'object' || schema === null) return
  const isObject = 'type' in schema && schema.type === 'object' && 'properties' in schema
  if (isObject && !('additionalProperties' in schema)) {
    throw new Error(`${where} has an object without additionalProperties: declare it with closed()`)
  }
  for (const [key, part] of Object.entries(schema)) {
    if (key !== 'default' && key !== 'examples' && key !== 'enum') refuseOpenObjects(part, where)
  }
}

/** Types of JSON Schema in words of whoever writes a request. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', integer: 'a whole number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object' },
}

const kindsOf = (types: string | readonly string[]) =>
  [types]
    .flat()
    .map((type) => KINDS[type] ?? type)
    .join(' or ')

const OF_KIND = new RegExp(`^must be (${Object.values(KINDS).join('|')})$`)

const TIME_WORDS =
  'must be a time with its zone as RFC 3339 has them, as 2026-11-21T03:10:40Z, of a year from 2 to 9998'

/** Findings of a validator of a schema, as the fields at fault. */
export function fieldErrors(errors: readonly TLocalizedValidationError[], schema: unknown): FieldError[] {
  const found: FieldError[] = []
  let guesses = 0
  const choices = new Map<string, unknown[]>()
  const mayBeNull = new Set<string>()
  for (const error of errors) {
    const { keyword, instancePath: pointer } = error
    if (keyword === 'const') choices.set(pointer, [...(choices.get(pointer) ?? []), error.params.allowedValue])
    else if (keyword === 'required') {
      for (const name of error.params.requiredProperties) {
        found.push({ pointer: pointer + pointerTo(name), detail: 'is required' })
      }
    } else if (keyword === 'additionalProperties') {
      for (const name of error.params.additionalProperties) {
        const detail = guesses++ < GUESSES_MAX ? unknownField(schema, pointer, name) : 'is not a known field'
        found.push({ pointer: pointer + pointerTo(name), detail })
      }
    } else if (keyword === 'enum')
      found.push({ pointer, detail: `must be one of ${error.params.allowedValues.join(', ')}` })
    else if (keyword === 'format' && error.params.format === 'date-time') found.push({ pointer, detail: TIME_WORDS })
    else if (keyword === 'type' && error.params.type === 'null') mayBeNull.add(pointer)
    else if (keyword === 'type') {
      const detail = isTimeAt(schema, pointer) ? TIME_WORDS : `must be ${kindsOf(error.params.type)}`
      found.push({ pointer, detail })
    } else if (keyword !== 'boolean' && keyword !== 'anyOf') found.push({ pointer, detail: error.message })
  }
  for (const [pointer, words] of choices) found.push({ pointer, detail: `must be ${words.join(' or ')}` })
  for (const pointer of mayBeNull) mentionNull(found, pointer)
  return found
}

/** Says in the sentence about a value of another kind that null would do, too; alone where nothing else is at fault with it. */
function mentionNull(found: FieldError[], pointer: string): void {
  const kind = found.find((fault) => fault.pointer === pointer && OF_KIND.test(fault.detail))
  if (kind) kind.detail += ' or null'
  else if (!found.some((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`)))
    found.push({ pointer, detail: 'must be null' })
}
