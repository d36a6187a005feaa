import type { JsonSchema } from './route-table.ts'

/** A JSON schema as far as types are made of it. */
export type Schema = Omit<JsonSchema, 'items' | 'properties' | 'anyOf'> & {
  title?: string
  description?: string
  default?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
}

/** How a schema becomes the text of a type. */
export type TypeForm = {
  /** Titles become names of types, whose texts are put in here; without it a name is only what a `$ref` leads to. */
  named?: Map<string, string>
  /** A query: whatever has a default may be left out. */
  defaultsAreOptional?: boolean
  /** Comments stand on lines of their own. */
  commentsApart?: boolean
  /** Other values than those of today are values too. */
  enumsAreOpen?: boolean
  /** 64-bit integers come as text, with all their digits. */
  longIntegersAreText?: boolean
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

/** The text of a type in TypeScript. */
export function typeText(schema: Schema, form: TypeForm): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  const { named } = form
  const { title } = schema
  if (named === undefined || title === undefined || !PLAIN_NAME.test(title)) return shapeText(schema, form)
  if (!named.has(title)) {
    named.set(title, title)
    named.set(title, shapeText(schema, form))
  }
  return title
}

/** The same of a schema that has a name, in full. */
export function shapeText(schema: Schema, form: TypeForm): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return enumText(schema.enum, form)
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return [...new Set(parts.map((one) => typeText(one, form)))].join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => typeText(one, form)).join(' & ')
  const types = [schema.type ?? 'unknown'].flat()
  return types.map((type) => typeOf(type, schema, form)).join(' | ')
}

function enumText(values: readonly unknown[], { enumsAreOpen = false }: TypeForm): string {
  const [words, others] = [
    values.filter((value) => typeof value === 'string'),
    values.filter((value) => typeof value !== 'string'),
  ]
  if (!enumsAreOpen || words.length === 0) return values.map(literal).join(' | ')
  return [`Open<${words.map(literal).join(' | ')}>`, ...others.map(literal)].join(' | ')
}

function typeOf(type: string, schema: Schema, form: TypeForm): string {
  switch (type) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'string':
      return type
    case 'integer':
    case 'number':
      return form.longIntegersAreText && schema.format === 'int64' ? 'string' : 'number'
    case 'array':
      return `Array<${schema.items ? typeText(schema.items, form) : 'unknown'}>`
    case 'object':
      return objectText(schema, form)
    default:
      return 'unknown'
  }
}

export function objectText(schema: Schema, form: TypeForm): string {
  const { properties = {}, required = [], additionalProperties } = schema
  // Whether a default may be left out is said of the fields of a query, not of what these hold.
  const { defaultsAreOptional = false, ...inner } = form
  const fields = Object.entries(properties)
  if (fields.length === 0) {
    const values = typeof additionalProperties === 'object' ? typeText(additionalProperties, inner) : 'unknown'
    return `Record<string, ${values}>`
  }
  const lines = fields.map(([name, field]) => {
    const optional = !required.includes(name) || (defaultsAreOptional && field.default !== undefined)
    return `${commentText(field.description, form)}${PLAIN_NAME.test(name) ? name : `'${name}'`}${optional ? '?' : ''}: ${typeText(field, inner)}`
  })
  return `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}

/** A comment, and after it what parts it from what it is about; empty without a text. */
export function commentText(text: string | undefined, { commentsApart = false }: TypeForm): string {
  if (text === undefined) return ''
  return `/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */${commentsApart ? '\n' : ' '}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
}
