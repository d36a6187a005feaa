import assert from 'node:assert/strict'
import test from 'node:test'
import { nameComponents } from './name-components.ts'

const thing = (fields: object) => ({ title: 'Thing', type: 'object', properties: fields })

function documentOf(...schemas: object[]) {
  return {
    info: { title: 'Things' },
    paths: { '/things': schemas },
    components: { schemas: {} as Record<string, object> },
  }
}

test('a named schema is a component, wherever it stands, and references take its place', () => {
  const inner = { title: 'Part', type: 'object', properties: { id: { type: 'string' } } }
  const document = documentOf(thing({ part: inner }), { type: 'array', items: inner })
  nameComponents(document)
  assert.deepEqual(document.paths['/things'], [
    { $ref: '#/components/schemas/Thing' },
    { type: 'array', items: { $ref: '#/components/schemas/Part' } },
  ])
  assert.deepEqual(document.components.schemas.Thing, {
    type: 'object',
    properties: { part: { $ref: '#/components/schemas/Part' } },
  })
  assert.deepEqual(document.info, { title: 'Things' })
})

test('one that may be null is the component or null', () => {
  const document = documentOf({ ...thing({}), type: ['object', 'null'] })
  nameComponents(document)
  assert.deepEqual(document.paths['/things'], [{ anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] }])
  assert.deepEqual(document.components.schemas.Thing, { type: 'object', properties: {} })
})

test('one name for two different schemas is refused', () => {
  assert.throws(
    () => nameComponents(documentOf(thing({}), thing({ a: { type: 'string' } }))),
    /two schemas are called Thing/,
  )
})

test('a field called title and data that look like a schema stay as they are', () => {
  const fields = { title: { type: 'string' }, example: { title: 'Inner', type: 'object' } }
  const given = { type: 'object', properties: fields, examples: [{ title: 'Mrs', type: 'x' }] }
  const document = documentOf(given)
  nameComponents(document)
  const example = { $ref: '#/components/schemas/Inner' }
  assert.deepEqual(document.paths['/things'], [{ ...given, properties: { ...fields, example } }])
})
