import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer } from '../support/http-client.ts'
import { type DeclaredRoute, declaredRoutes, type JsonSchema } from '../support/route-table.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { callWorld, idsIn, pathWith, type World, worldIn } from './isolation-seeds.ts'

/*
 * Every parameter of every query, of both APIs, with values that the database takes for an error where nobody has looked:
 * numbers beyond its own (22003), times beyond its calendar (22008), texts that are no text or no pattern. Made from the
 * routes that are declared.
 */

const UNKNOWN = '900000001'
const BEYOND = ['9223372036854775808', '9999999999999999999', '9'.repeat(40)]
const NUMBERS = ['-1', '0', '2147483647', '2147483648', '9007199254740993', ...BEYOND]
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00:00+23:59',
  '2026-02-30T00:00:00Z',
  '294277-01-01T00:00:00Z',
]
const TEXTS = ['%00', '%ED%A0%80', '%25', '_', '%5C', '%5C%5C', "'", '(', '*', ':*', '%26%7C', ...BEYOND]

let instance: TestedInstance
let world: World
let all: DeclaredRoute[]
let routes: DeclaredRoute[]

before(async () => {
  instance = await startTestedInstance()
  world = await worldIn(instance, 'mine')
  all = await declaredRoutes()
  routes = all.filter(({ query }) => Object.keys(query?.properties ?? {}).length > 0)
})
after(() => instance.close())

const isId = (schema: JsonSchema & { pattern?: string }) => schema.pattern === '^[0-9]+$'

function valuesFor(schema: JsonSchema): readonly string[] {
  if (isId(schema)) return [...BEYOND, '0', '']
  if (schema.type === 'integer' || schema.type === 'number') return NUMBERS
  if (schema.format === 'date-time') return TIMES
  return [...TEXTS, ...TIMES.slice(0, 3).map(encodeURIComponent)]
}

/** An answer without what differs between any two requests. */
const seen = ({ status, text }: Answer) => [status, text.replace(/"requestId":"[^"]*"/, '')]

test('no value of a filter is the server’s fault, and an id that no row can have is one that no row has', async () => {
  let asked = 0
  const faults: string[] = []
  for (const route of routes) {
    const ids = await idsIn({ instance, routes: all }, world, route.path)
    const path = pathWith(route, world.slug, ids)
    for (const [name, schema] of Object.entries(route.query!.properties!)) {
      const atOnce =
        'timeoutSeconds' in route.query!.properties! && name !== 'timeoutSeconds' ? '&timeoutSeconds=0' : ''
      const ask = (value: string) => callWorld(instance, world, route.method, `${path}?${name}=${value}${atOnce}`)
      const toNobody = isId(schema) ? seen(await ask(UNKNOWN)) : undefined
      for (const value of valuesFor(schema)) {
        // One that breaks off has a cause and no status.
        const answer = await ask(value).catch((cause: unknown) => {
          throw new Error(`${path}?${name}=${value}`, { cause })
        })
        asked++
        const what = `${route.method} ${path}?${name}=${value}: ${answer.status} ${answer.text.slice(0, 200)}`
        if (answer.status >= 500) faults.push(what)
        if (toNobody && BEYOND.includes(value)) assert.deepEqual(seen(answer), toNobody, what)
      }
    }
  }
  assert.deepEqual(faults, [])
  assert.ok(asked > 500, `only ${asked} were asked`)
})

test('a parameter that a read does not know is refused by name, where it has others and where it has none', async () => {
  const reads = all.filter(({ method, path }) => method === 'GET' && /^\/(api|site\/workspaces\/\{slug\})\//.test(path))
  for (const route of reads) {
    const ids = await idsIn({ instance, routes: all }, world, route.path)
    const path = pathWith(route, world.slug, ids)
    const { status, json } = await callWorld(instance, world, 'GET', `${path}?nonsense=1`)
    const what = `GET ${path}: ${JSON.stringify(json)}`
    assert.equal(status, 400, what)
    assert.ok(
      json.errors.some(({ pointer }: { pointer: string }) => pointer === '/nonsense'),
      what,
    )
  }
})
