import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { isPermission } from '../../server/catalogue/permissions.ts'
import { isScope } from '../../server/catalogue/scopes.ts'
import { readConfig } from '../../server/config.ts'
import { guardSurfaces } from '../../server/modules/auth/guard.ts'
import { ROLE_PERMISSIONS } from '../../server/modules/auth/roles.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { createHttpServer } from '../../server/platform/http/server.ts'
import { silentLogger } from '../../server/platform/http/testing.ts'
import { PERMISSIONS_GUIDE, permissionsGuide } from '../support/permissions-guide.ts'
import { declaredRoutes } from '../support/route-table.ts'

/** Operations for a person who is not logged in. */
const OPEN = [
  'SiteAuth_login',
  'SiteAuth_logout',
  'SiteInvitations_accept',
  'SiteInvitations_read',
  'SitePasswordReset_complete',
  'SitePasswordReset_read',
  'SitePasswordReset_request',
  'SiteSecondFactor_complete',
]

const routes = await declaredRoutes()
const site = routes.filter(({ surface }) => surface === 'site')

test('every operation states what it needs, and only those that must are open', () => {
  assert.ok(site.length > 30)
  for (const { path, method, config } of routes) {
    const what = `${method} ${path}`
    if (path.startsWith('/api/')) assert.ok(config.scope === 'any' || isScope(String(config.scope)), what)
    else if (path.startsWith('/site/workspaces/{slug}'))
      assert.ok(config.permission === 'any' || isPermission(String(config.permission)), what)
  }
  const open = site.filter(({ config }) => config.withoutSession).map(({ operationId }) => operationId)
  assert.deepEqual(open.toSorted(), OPEN)
})

test('a viewer changes nothing, and nobody but who runs the workspace its people', () => {
  for (const { path, method, config, operationId } of site) {
    const { permission } = config
    if (permission === undefined || permission === 'any') continue
    const isRead = method === 'GET'
    if (ROLE_PERMISSIONS.viewer.has(permission)) {
      // Reading that takes a body: a preview of a segment, a file of what the lists show, a replay of past events, a play of
      // scenarios that no contact is part of.
      assert.ok(isRead || /preview|exports_|simulat|runScenarios/i.test(operationId), `a viewer may ${method} ${path}`)
    }
    if (/\/(members|invitations)/.test(path) && !isRead) {
      assert.ok(!ROLE_PERMISSIONS.member.has(permission), `a member may ${method} ${path}`)
    }
  }
})

test('a route of a workspace without a permission of the catalogue stops the start', async () => {
  const sql = createPool({ name: 'sql', url: 'postgres://nobody@127.0.0.1:1/none', max: 1 })
  const nothing = () => undefined
  const app = createHttpServer({ logger: silentLogger, trustProxy: false, https: false, onRequestDone: nothing })
  guardSurfaces(app, {
    sql,
    appUrl: undefined,
    baseUrl: new URL('http://localhost'),
    limits: readConfig({}).rateLimits,
  })
  const declare = (path: string, config: object) => app.get(path, { config }, async () => null)
  for (const config of [{}, { permission: 'everything' }, { scope: 'contacts:read' }]) {
    assert.throws(() => declare('/site/workspaces/:slug/things', config), /states no permission/)
  }
  declare('/site/workspaces/:slug/others', { permission: 'contacts:read' })
  await Promise.all([app.close(), sql.end()])
})

test('the guide to permissions says what the routes and the roles do', async () => {
  const written = await readFile(new URL(`../../${PERMISSIONS_GUIDE}`, import.meta.url), 'utf8')
  assert.equal(written, await permissionsGuide(), 'npm run docs writes it anew')
})
