import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isStorableText } from '../json/exact-json.ts'
import { type FieldError, invalid, notFound, type Problem, pointerTo } from '../problem.ts'
import { compileAtUse } from '../schema/compile-at-use.ts'
import { fieldErrors, refuseOpenObjects } from '../schema/item-check.ts'
import { ID_MAX, ID_PATTERN, isBeyondIds, MAY_BE_ABSENT } from '../schema/schemas.ts'
import { settleTimes } from '../schema/timestamps.ts'

type Verdict = { value: unknown } | { error: Problem }

/**
 * Makes the validator of one part of a request. A body is taken as it is, but for how its times are written: no coercion, no
 * defaults, unknown fields refused. Query and path parameters are text, so they are read as their schema's type first.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, method, url }) => {
  const validator = compileAtUse(() => Compile(schema))
  const settle = settleTimes(schema) ?? ((value: unknown) => value)
  if (httpPart === 'body') {
    refuseOpenObjects(schema, `the body of ${method} ${url}`)
    const isOptional = MAY_BE_ABSENT in schema
    return (given: unknown): Verdict => {
      const body = given === null && isOptional ? {} : given
      if (validator().Check(body)) return { value: settle(body) }
      if (body === null) return { error: invalid([{ pointer: '', detail: 'must have a JSON body' }]) }
      const tooMany = overlong(schema, body)
      return { error: invalid(tooMany ? [tooMany] : fieldErrors(validator().Errors(body), schema)) }
    }
  }
  const properties = (schema as { properties?: Record<string, ParameterSchema> }).properties ?? {}
  return (given: Record<string, unknown>): Verdict => {
    // `/things/` is the path of no thing.
    if (httpPart === 'params' && Object.values(given).includes('')) return { error: notFound() }
    const { values, errors } = readParameters(given, properties)
    if (errors.length > 0) return { error: invalid(errors) }
    if (!validator().Check(values)) {
      return { error: invalid(fieldErrors(validator().Errors(values), schema)) }
    }
    if (httpPart === 'params' && Object.values(values).some(isBeyondIds)) return { error: notFound() }
    return { value: settle(httpPart === 'querystring' ? withKnownIds(values, properties) : values) }
  }
}

type ListSchema = {
  items?: ListSchema
  properties?: Record<string, ListSchema>
  maxItems?: number
  maxProperties?: number
}

/**
 * The first list or map of a body that has more than it may. That is all its sender is told then: finding every fault of
 * 250,000 items took half a second.
 */
function overlong(schema: ListSchema, value: unknown, pointer = ''): FieldError | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { items, properties = {}, maxItems, maxProperties } = schema
  if (Array.isArray(value)) {
    if (maxItems !== undefined && value.length > maxItems)
      return { pointer, detail: `must not have more than ${maxItems} items` }
    return items && firstOf(value.entries(), ([n, item]) => overlong(items, item, `${pointer}/${n}`))
  }
  if (maxProperties !== undefined && Object.keys(value).length > maxProperties)
    return { pointer, detail: `must not have more than ${maxProperties} properties` }
  return firstOf(Object.entries(properties), ([name, field]) =>
    overlong(field, (value as Record<string, unknown>)[name], pointer + pointerTo(name)),
  )
}

function firstOf<T, R>(all: Iterable<T>, find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

type ParameterSchema = { type?: unknown; default?: unknown; pattern?: unknown }

/** A filter by an id that no row can have finds what one by the last of all ids does: nothing, and no error of the database's. */
function withKnownIds(values: Record<string, unknown>, properties: Record<string, ParameterSchema>) {
  for (const [name, value] of Object.entries(values)) {
    if (properties[name]?.pattern === ID_PATTERN && isBeyondIds(value)) values[name] = String(ID_MAX)
  }
  return values
}

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
