import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { type ServedModules, serveModules } from '../support/served-modules.ts'
import { bodyOf, callWorld, idsIn, pathWith, type Seeding, type World, worldIn } from './isolation-seeds.ts'

/* Every operation that makes something: its answer says where that is read. */

let served: ServedModules
let seeding: Seeding
let world: World

before(async () => {
  served = await serveModules()
  seeding = { instance: served.instance, routes: await declaredRoutes() }
  world = await worldIn(served.instance, 'locations')
})
after(() => served?.stop())

type Described = Record<
  string,
  Record<string, { operationId: string; responses?: Record<string, { headers?: object & { Location?: object } }> }>
>

async function make(route: DeclaredRoute) {
  const path = pathWith(route, world.slug, await idsIn(seeding, world, route.path))
  const body = bodyOf(route)
  return { path, ...(await callWorld(served.instance, world, route.method, path, body ? { json: body } : {})) }
}

test('a 201 names where the thing that was made is read, and nothing where it is read nowhere', async () => {
  // Parameters have names of their own.
  const place = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
  const isRead = new Set(seeding.routes.filter(({ method }) => method === 'GET').map(({ path }) => place(path)))
  const making = seeding.routes.filter(
    ({ method, path }) =>
      (method === 'POST' || method === 'PUT') &&
      (path.startsWith('/api/') || path.startsWith('/site/workspaces/{slug}')),
  )
  const described = await Promise.all(
    ['/api/openapi.json', '/site/openapi.json'].map(async (path) =>
      Object.values((await callWorld(served.instance, world, 'GET', path)).json.paths as Described).flatMap((path) =>
        Object.values(path).filter(({ responses }) => responses?.['201']?.headers?.Location),
      ),
    ),
  )
  const told = new Set(described.flat().map(({ operationId }) => operationId))
  const isTold = ({ operationId }: DeclaredRoute) => told.has(operationId)
  let named = 0
  for (const route of making) {
    const { status, json, headers, path } = await make(route)
    if (status !== 201) continue
    const { location } = headers
    const expected =
      isRead.has(`${place(route.path)}/{}`) && typeof json.id === 'string' ? `${path}/${json.id}` : undefined
    assert.equal(location, expected, route.operationId)
    assert.equal(isTold(route), expected !== undefined, `${route.operationId} in the description`)
    if (expected === undefined) continue
    named += 1
    const read = await callWorld(served.instance, world, 'GET', expected)
    assert.deepEqual([read.status, read.json.id], [200, json.id], route.operationId)
  }
  assert.ok(named >= 15, `${named} operations named one`)
})
