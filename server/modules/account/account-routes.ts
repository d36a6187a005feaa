import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { originOf } from '../auth/guard-site.ts'
import { readOwnAccount, updateOwnAccount } from '../auth/own-account.ts'
import { endOwnSession, listOwnSessions, signOutEverywhere } from '../auth/own-sessions.ts'
import { PERSON_DOOR, routesOf } from '../door.ts'
import { Account, AccountChange, SessionInfo } from './schemas.ts'

/** Routes by which a person sees and changes their own account, whatever workspaces they belong to. */
export function accountRoutes(app: HttpApp, deps: { sql: pg.Pool }): void {
  const accountOfPerson = routesOf(app, PERSON_DOOR, { path: '/auth/me', family: 'Account' })
  const sessions = routesOf(app, PERSON_DOOR, { path: '/auth/sessions', family: 'Sessions', tag: 'Account' })

  accountOfPerson.get('', 'get', {
    needs: 'login',
    summary: 'Read the own account',
    answers: { 200: Account },
    etag: true,
    handle: async (request) => readOwnAccount(deps.sql, request.session.user.id),
  })

  accountOfPerson.patch('', 'update', {
    needs: 'login',
    summary: 'Change the own account',
    description: 'Absent fields stay.',
    body: AccountChange,
    answers: { 200: Account },
    problems: [412],
    etag: true,
    handle: async (request) => {
      const change = { ...request.body, ifMatch: ifMatchOf(request), origin: originOf(request) }
      return updateOwnAccount(deps, request.session.user, change)
    },
  })

  sessions.get('', 'list', {
    needs: 'login',
    summary: 'List the own sessions',
    description: 'Those that are not over, newest first.',
    query: PageQuery,
    answers: { 200: pageOf(SessionInfo) },
    handle: async (request) => {
      const { items, total } = await listOwnSessions(deps, request.session, request.query)
      return page(request.query, total, items)
    },
  })

  sessions.delete('/:id', 'end', {
    needs: 'login',
    summary: 'End one of the own sessions',
    answers: { 204: nothing() },
    handle: async (request) => {
      await endOwnSession(deps, request.session, { id: request.params.id, origin: originOf(request) })
    },
  })

  sessions.post('/end-others', 'endOthers', {
    needs: 'login',
    summary: 'End all other sessions',
    description: 'The one in use stays.',
    answers: { 204: nothing() },
    handle: async (request) => {
      await signOutEverywhere(deps, request.session, originOf(request))
    },
  })
}
