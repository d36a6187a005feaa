import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import { disconnectAgent } from './end-connection.ts'
import { listAgents } from './list-agents.ts'
import { ConnectedAgent } from './schemas.ts'

/** The agents of a workspace, for its people. How far one goes by itself is the send policy of the token with its id. */
export function agentsSite(app: HttpApp, deps: { sql: pg.Pool }): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/agents', family: 'Agents' })

  routes.get('', 'list', {
    needs: 'tokens:read',
    summary: 'List connected agents',
    description: 'Agents that people have let in by OAuth, newest first; those that are disconnected included.',
    query: PageQuery,
    answers: { 200: pageOf(ConnectedAgent) },
    handle: async (request) => {
      const { items, total } = await listAgents(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.delete('/:id', 'disconnect', {
    needs: 'tokens:write',
    summary: 'Disconnect an agent',
    description: 'Whatever it shows is refused everywhere within a second.',
    answers: { 204: nothing('Disconnected.') },
    handle: async (request) => {
      await disconnectAgent(deps, request.caller, request.params.id)
    },
  })
}
