import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { PageQuery, pageOf } from '../schema/paging.ts'
import { answer, closed, FreeForm, Id, nullable } from '../schema/schemas.ts'
import { serveApiReference } from './api-reference.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'
import { describeSurface, type Surface, serveDocument } from './openapi.ts'
import { hashOf } from './page.ts'

const SURFACE: Surface = {
  prefix: '/api/',
  info: { title: 'Things', version: '1.0.0' },
  security: { bearer: { type: 'http', scheme: 'bearer' } },
  needs: ({ scope = 'any' }) => ({
    extensions: { 'x-required-scope': scope },
    sentence: `Needs the scope \`${scope}\`.`,
  }),
}

async function makeServer() {
  const app = quietServer({ trustProxy: false, https: false })
  serveApiReference(app, { description: '/api/openapi.json', problems: Object.values(HTTP_PROBLEMS) })
  serveDocument(app, '/api/openapi.json', await describeSurface(app, SURFACE))
  const Thing = answer('Thing', { id: Id, name: nullable(Type.String()), fields: FreeForm })
  app.get(
    '/api/things',
    {
      schema: { operationId: 'Things_list', querystring: PageQuery, response: { 200: pageOf(Thing) } },
      config: { scope: 'contacts:read' },
    },
    async () => ({ items: [], page: 1, pageSize: 25, totalItems: 0, totalPages: 0 }),
  )
  app.post(
    '/api/things/:thingId/parts',
    {
      schema: {
        operationId: 'Things_addPart',
        params: closed({ thingId: Id }),
        body: closed('PartBody', { name: Type.String() }),
        response: { 201: Thing, 204: Type.Null({ description: 'Nothing.' }) },
      },
      config: { scope: 'contacts:write', idempotent: true, problems: [409] },
    },
    async (_request, reply) => reply.code(204).send(null),
  )
  app.get('/site/things', { schema: { operationId: 'SiteThings_list' } }, async () => '')
  await app.ready()
  return app
}

test('the description is OpenAPI 3.1 of the /api operations, with scopes and every problem', async (t) => {
  const app = await makeServer()
  t.after(() => app.close())
  const answer = await app.inject('/api/openapi.json')
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  const document = answer.json()
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(Object.keys(document.paths).sort(), ['/api/things', '/api/things/{thingId}/parts'])
  const list = document.paths['/api/things'].get
  assert.equal(list['x-required-scope'], 'contacts:read')
  assert.match(list.description, /Needs the scope `contacts:read`/)
  assert.deepEqual(list.security, [{ bearer: [] }])
  assert.deepEqual(Object.keys(list.responses), ['200', '400', '401', '403', '406', '429', '503'])
  const [page] = list.parameters
  assert.deepEqual([page.name, page.required, page.schema.default], ['page', false, 1])
  const { schemas } = document.components
  assert.deepEqual(list.responses['200'].content['application/json'].schema, { $ref: '#/components/schemas/ThingPage' })
  assert.deepEqual(schemas.ThingPage.properties.items.items, { $ref: '#/components/schemas/Thing' })
  assert.deepEqual(schemas.Thing.properties.name.type, ['string', 'null'])
  const add = document.paths['/api/things/{thingId}/parts'].post
  const added = ['201', '204', '400', '401', '403', '404', '406', '409', '413', '415', '422', '429', '503']
  assert.deepEqual(Object.keys(add.responses), added)
  assert.deepEqual(add.requestBody.content['application/json'].schema, { $ref: '#/components/schemas/PartBody' })
  assert.equal(schemas.PartBody.additionalProperties, false)
  assert.deepEqual(add.responses['409'], { $ref: '#/components/responses/Conflict' })
  const { Conflict, TooManyRequests } = document.components.responses
  const problem = Conflict.content['application/problem+json'].schema
  assert.deepEqual(problem, { $ref: '#/components/schemas/Problem' })
  assert.ok(TooManyRequests.headers['Retry-After'])
  assert.ok(document.components.schemas.Problem.properties.requestId)
})

test('the reference loads nothing from anywhere else', async (t) => {
  const app = await makeServer()
  t.after(() => app.close())
  assert.equal((await app.inject('/docs')).headers.location, '/docs/')
  const page = await app.inject('/docs/')
  assert.equal(page.statusCode, 200)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self' 'sha256-[^']+'; .*connect-src 'self'/)
  const inline = [...page.body.matchAll(/<script(?: [^>]*)?>([^<]+)<\/script>/g)].map(([, script]) => hashOf(script!))
  assert.deepEqual(
    inline.map((hash) => policy.includes(hash)),
    [true],
  )
  const loaded = [...page.body.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map((match) => match[1])
  assert.deepEqual(loaded, ['/docs/js/scalar.js'])
  assert.match(page.body, /"url": "\/api\/openapi\.json"/)
  const script = await app.inject('/docs/js/scalar.js')
  assert.equal(script.headers['content-encoding'], 'gzip')
  assert.ok(script.rawPayload.length > 100_000)
})

test('each problem code is explained where its type points', async (t) => {
  const app = await makeServer()
  t.after(() => app.close())
  const page = await app.inject('/docs/problems')
  for (const { code } of Object.values(HTTP_PROBLEMS)) assert.ok(page.body.includes(`id="${code}"`), code)
})
