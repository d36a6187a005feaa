type Node = Record<string, unknown>

/** Keywords under which stands data, not a schema. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const'])

/**
 * Moves each schema that has a name, which is its `title`, to the components of an OpenAPI document and leaves a
 * reference where it stood. Throws when two schemas of one name say different things: clients make types of the names.
 */
export function nameComponents(document: { components: { schemas: Node } }): void {
  const { schemas } = document.components
  for (const [part, value] of Object.entries(document)) {
    if (part !== 'info' && part !== 'components') (document as Node)[part] = referenced(value, schemas)
  }
}

function referenced(value: unknown, schemas: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => referenced(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const node = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, isData(key, value) ? part : referenced(part, schemas)]),
  )
  return isNamed(node) ? hoisted(node, schemas) : node
}

/** Whether the key holds values as they may be sent. A field of that name is a schema all the same. */
function isData(key: string, parent: object): boolean {
  return DATA.has(key) && !isSchema((parent as Node)[key])
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value || '$ref' in value)
}

function isNamed(node: Node): node is Node & { title: string } {
  return typeof node.title === 'string' && ('type' in node || 'anyOf' in node)
}

function hoisted(node: Node & { title: string }, schemas: Node): Node {
  const { title: name, ...rest } = node
  const isNullable = Array.isArray(rest.type) && rest.type.includes('null')
  const schema = isNullable ? { ...rest, type: (rest.type as string[]).find((type) => type !== 'null') } : rest
  const known = schemas[name] as Node | undefined
  // The generator takes the examples of a body to the body itself, so that one use has them and another has not.
  if (known && textOf(known) !== textOf(schema)) throw new Error(`two schemas are called ${name}`)
  if (!known || 'examples' in schema) schemas[name] = schema
  const reference = { $ref: `#/components/schemas/${name}` }
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference
}

function textOf({ examples: _, ...schema }: Node): string {
  return JSON.stringify(schema)
}
