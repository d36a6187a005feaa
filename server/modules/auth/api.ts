import type pg from 'pg'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { API_DOOR, routesOf } from '../door.ts'
import { readToken } from './manage-tokens.ts'
import { workspaceById } from './people.ts'
import { Me } from './schemas.ts'
import { tokenRoutes } from './token-routes.ts'

export function authApi(app: HttpApp, deps: { sql: pg.Pool }): void {
  tokenRoutes(app, deps, API_DOOR)

  routesOf(app, API_DOOR, { family: 'Auth', tag: 'Tokens' }).get('/auth/me', 'me', {
    needs: 'any',
    summary: 'Read the token in use',
    description: 'Its scopes, its expiry and the workspace it acts in: what a program asks first.',
    answers: { 200: Me },
    handle: async (request) => {
      const { workspaceId, actor } = request.caller
      const [token, workspace] = await Promise.all([
        readToken(deps, workspaceId, actor.id as string),
        workspaceById(deps.sql, workspaceId),
      ])
      return { ...token, workspace }
    },
  })
}
