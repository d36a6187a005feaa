import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { compileSerializer } from '../http/serialization.ts'
import { compileValidator } from '../http/validation.ts'
import { compileItemCheck } from './item-check.ts'

/** A schema that counts the compilers that look into it. */
function watchedSchema() {
  const watched = { looks: 0, schema: { type: 'string' } as TSchema }
  Object.defineProperty(watched.schema, 'minLength', {
    enumerable: true,
    get: () => {
      watched.looks += 1
      return 2
    },
  })
  return watched
}

test('a parameter and an answer are compiled when the first request needs them', () => {
  const { schema } = watchedSchema()
  const route = { method: 'GET', url: '/things' }
  const given = watchedSchema()
  const params = { type: 'object', properties: { id: given.schema }, required: ['id'] } as TSchema
  const validate = compileValidator({ ...route, schema: params, httpPart: 'params' })
  const answered = watchedSchema()
  const serialize = compileSerializer({ ...route, schema: answered.schema, httpStatus: '200' })
  assert.deepEqual([given.looks, answered.looks], [0, 0])
  assert.deepEqual(validate({ id: '12' }), { value: { id: '12' } })
  assert.ok('error' in (validate({ id: '1' }) as object))
  assert.equal(serialize('x'), '"x"')
  assert.ok(given.looks > 0)
  const checkItem = compileItemCheck(schema)
  assert.ok('errors' in checkItem('x'))
})
