import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastJsonStringify from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { declaredRoutes, type JsonSchema } from '../support/route-table.ts'

/** The schemas themselves, of an answer or body in one media type or several. */
const schemasOf = (schema: JsonSchema) =>
  schema.content === undefined ? [schema] : Object.values(schema.content).map((one) => one.schema)

// The service compiles each when a request first needs it: one that cannot be compiled must not wait for that.
test('every schema of every route can be compiled', async () => {
  let compiled = 0
  for (const { method, path, body, query, params, answers } of await declaredRoutes()) {
    for (const schema of [body, query, params]) {
      if (schema === undefined) continue
      assert.doesNotThrow(() => Compile(schema as TSchema), `what ${method} ${path} takes`)
      compiled += 1
    }
    for (const [status, answer] of Object.entries(answers)) {
      for (const schema of schemasOf(answer)) {
        assert.doesNotThrow(() => fastJsonStringify(schema as object), `${status} of ${method} ${path}`)
        compiled += 1
      }
    }
  }
  assert.ok(compiled > 500, `${compiled} schemas`)
})
