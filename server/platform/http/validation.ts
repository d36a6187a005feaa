import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import Format from 'typebox/format'
import { compileAtUse } from './compile-at-use.ts'
import { isStorableText } from './exact-json.ts'
import { type FieldError, invalid, notFound, type Problem, pointerTo } from './problem.ts'
import { isBeyondIds } from './schemas.ts'
import { isTimestamp } from './timestamps.ts'

Format.Set('date-time', isTimestamp)

type Verdict = { value: unknown } | { error: Problem }

/**
 * Makes the validator of one part of a request. A body is taken as it is: no coercion, no defaults, unknown fields
 * refused. Query and path parameters are text, so they are read as their schema's type first.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, method, url }) => {
  const validator = compileAtUse(() => Compile(schema))
  if (httpPart === 'body') {
    refuseOpenObjects(schema, `the body of ${method} ${url}`)
    return (body: unknown): Verdict => {
      if (validator().Check(body)) return { value: body }
      if (body === null) return { error: invalid([{ pointer: '', detail: 'must have a JSON body' }]) }
      return { error: invalid(fieldErrors(validator().Errors(body))) }
    }
  }
  const properties = (schema as { properties?: Record<string, ParameterSchema> }).properties ?? {}
  return (given: Record<string, unknown>): Verdict => {
    // `/things/` is the path of no thing.
    if (httpPart === 'params' && Object.values(given).includes('')) return { error: notFound() }
    const { values, errors } = readParameters(given, properties)
    if (errors.length > 0) return { error: invalid(errors) }
    if (!validator().Check(values)) {
      return { error: invalid(fieldErrors(validator().Errors(values))) }
    }
    if (httpPart === 'params' && Object.values(values).some(isBeyondIds)) return { error: notFound() }
    return { value: values }
  }
}

/**
 * Makes a check of one item of a list whose items succeed and fail by themselves. Its faults are as those of a body;
 * pointers begin at the item.
 */
export function compileItemCheck<S extends TSchema>(schema: S) {
  refuseOpenObjects(schema, 'an item')
  const validator = compileAtUse(() => Compile(schema))
  return (item: unknown): { item: Static<S> } | { errors: FieldError[] } =>
    validator().Check(item) ? { item: item as Static<S> } : { errors: fieldErrors(validator().Errors(item)) }
}

type ParameterSchema = { type?: unknown; default?: unknown }

/** Parameters as their schema's types. A key given twice is refused: taking one of the two would be a guess. */
function readParameters(given: Record<string, unknown>, properties: Record<string, ParameterSchema>) {
  const values: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const [name, text] of Object.entries(given)) {
    const pointer = `/${name}`
    if (typeof text !== 'string') errors.push({ pointer, detail: 'must be given only once' })
    else if (!isStorableText(text)) errors.push({ pointer, detail: 'must not contain U+0000' })
    else values[name] = readParameter(text, properties[name]?.type)
  }
  for (const name in properties) {
    if (values[name] === undefined && properties[name]?.default !== undefined) values[name] = properties[name].default
  }
  return { values, errors }
}

/** Text that is not of the type stays text, for the schema to refuse. */
function readParameter(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Every object of a body's schema says whether it takes unknown fields; forgetting it would ignore typing errors. */
function refuseOpenObjects(schema: unknown, where: string): void {
  if (typeof schema !== 'object' || schema === null) return
  const isObject = 'type' in schema && schema.type === 'object' && 'properties' in schema
  if (isObject && !('additionalProperties' in schema)) {
    throw new Error(`${where} has an object without additionalProperties: declare it with closed()`)
  }
  for (const [key, part] of Object.entries(schema)) {
    if (key !== 'default' && key !== 'examples' && key !== 'enum') refuseOpenObjects(part, where)
  }
}

function fieldErrors(errors: readonly TLocalizedValidationError[]): FieldError[] {
  const found: FieldError[] = []
  const choices = new Map<string, unknown[]>()
  for (const error of errors) {
    const { keyword, instancePath: pointer } = error
    if (keyword === 'const') choices.set(pointer, [...(choices.get(pointer) ?? []), error.params.allowedValue])
    else if (keyword === 'required') {
      for (const name of error.params.requiredProperties) {
        found.push({ pointer: pointer + pointerTo(name), detail: 'is required' })
      }
    } else if (keyword === 'additionalProperties') {
      for (const name of error.params.additionalProperties) {
        found.push({ pointer: pointer + pointerTo(name), detail: 'is not a known field' })
      }
    } else if (keyword === 'enum')
      found.push({ pointer, detail: `must be one of ${error.params.allowedValues.join(', ')}` })
    else if (keyword !== 'boolean' && keyword !== 'anyOf') found.push({ pointer, detail: error.message })
  }
  for (const [pointer, words] of choices) found.push({ pointer, detail: `must be ${words.join(' or ')}` })
  return found
}
