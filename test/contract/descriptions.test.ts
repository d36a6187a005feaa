import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { validate } from '@scalar/openapi-validator'
import { send } from '../support/http-client.ts'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type Document, operationsOf } from './described-api.ts'

let instance: TestedInstance
let site: SiteCaller
let routes: DeclaredRoute[]
/** The two descriptions, by the surface they are of. */
const documents: Record<string, Document> = {}

before(async () => {
  instance = await startTestedInstance()
  site = siteCaller(instance)
  routes = await declaredRoutes()
  const { cookie } = await site.person('Ada', 'viewer')
  documents.api = (await send('GET', `${instance.baseUrl}/api/openapi.json`)).json
  documents.site = (await site.call('GET', '/site/openapi.json', { cookie })).json
})
after(() => instance.close())

test('the description of the dashboard API is for people who are logged in', async () => {
  const { status, json } = await site.call('GET', '/site/openapi.json')
  assert.deepEqual([status, json.code], [401, 'no-session'])
})

test('each description is valid OpenAPI 3.1', () => {
  for (const document of Object.values(documents)) {
    assert.match(document.openapi, /^3\.1\./)
    const { valid, errors } = validate(document)
    assert.ok(valid, JSON.stringify(errors, null, 2))
  }
})

test('every route stands in the description of its surface, and nothing else does', () => {
  for (const [surface, document] of Object.entries(documents)) {
    const described = operationsOf(document).map(({ method, path, operationId }) => `${method} ${path} ${operationId}`)
    const declared = routes
      .filter((route) => route.surface === surface)
      .map(({ method, path, operationId }) => `${method} ${path} ${operationId}`)
    assert.deepEqual(described.toSorted(), declared.toSorted())
    assert.ok(declared.length > 100, `${declared.length} operations of ${surface}`)
  }
})

test('every operation of the dashboard API says what it asks of a person, under its own name', () => {
  const states = new Map(routes.map(({ operationId, config }) => [operationId, config]))
  for (const { operationId, path, described } of operationsOf(documents.site!)) {
    assert.match(operationId, /^Site[A-Z][A-Za-z]+_[a-z][A-Za-z]+$/)
    assert.ok(described.summary && described.tags?.length === 1, operationId)
    const { permission, withoutSession } = states.get(operationId)!
    assert.equal(described['x-required-permission'], permission, operationId)
    assert.deepEqual(described.security, withoutSession ? [] : [{ session: [] }], operationId)
    const named = (described.parameters ?? []).filter((one) => one.in === 'path').map((one) => `{${one.name}}`)
    assert.deepEqual(named, path.match(/\{\w+\}/g) ?? [], operationId)
  }
})

type Media = Record<string, { schema: { $ref?: string } }>

test('what goes in and out as JSON has a name', () => {
  for (const document of Object.values(documents)) {
    for (const { operationId, described } of operationsOf(document)) {
      const { content } = (described.requestBody ?? {}) as { content?: Media }
      const bodies = [content, ...Object.values(described.responses).map((answer) => answer.content as Media)]
      for (const body of bodies) {
        const media = body?.['application/json']
        if (media) assert.match(String(media.schema.$ref), /^#\/components\/schemas\/[A-Z]\w+$/, operationId)
      }
    }
  }
})

test('the names are those that clients know the resources by', () => {
  const names = Object.keys((documents.api!.components as { schemas: object }).schemas)
  const specified = ['AuditEntry', 'SendingDomain', 'Integration', 'Contact', 'Segment', 'Tag', 'WebhookEndpoint']
  for (const name of [...specified, 'RecordedEvent', 'Broadcast', 'ContactPage', 'ContactBody', 'Problem']) {
    assert.ok(names.includes(name), name)
  }
})
