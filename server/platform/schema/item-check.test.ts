import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { compileItemCheck } from './item-check.ts'
import { closed, FreeForm, nullable } from './schemas.ts'

const check = compileItemCheck(
  closed({
    name: Type.Optional(nullable(Type.String())),
    properties: Type.Optional(Type.Union([FreeForm, Type.Null()])),
    place: Type.Optional(Type.Union([closed({ city: Type.String() }), Type.Null()])),
    nothing: Type.Optional(Type.Null()),
  }),
)

test('a value of another kind has one fault, which says that null would do as well', () => {
  const faultsOf = (item: unknown) => {
    const found = check(item)
    return 'errors' in found ? found.errors.map(({ pointer, detail }) => `${pointer} ${detail}`) : []
  }
  assert.deepEqual(faultsOf({ name: 1 }), ['/name must be text or null'])
  assert.deepEqual(faultsOf({ properties: [] }), ['/properties must be an object or null'])
  assert.deepEqual(faultsOf({ properties: 'x', name: [] }).sort(), [
    '/name must be text or null',
    '/properties must be an object or null',
  ])
  assert.deepEqual(faultsOf({ place: { city: 1 } }), ['/place/city must be text'])
  assert.deepEqual(faultsOf({ place: {} }), ['/place/city is required'])
  assert.deepEqual(faultsOf({ nothing: 1 }), ['/nothing must be null'])
  let deep: unknown = {}
  for (let level = 0; level < 40; level++) deep = { deep }
  assert.deepEqual(faultsOf({ properties: deep }), ['/properties must be an object, nested at most 32 deep'])
})
