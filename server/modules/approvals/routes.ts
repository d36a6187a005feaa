import type pg from 'pg'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { readApproval } from './decide-approval.ts'
import { listApprovals } from './list-approvals.ts'
import { Approval, ApprovalSummary } from './schemas.ts'

export const APPROVALS = { path: '/approvals', family: 'Approvals' } as const

/** Reading what agents asked for, on both surfaces. */
export function approvalRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  const routes = routesOf(app, door, APPROVALS)

  routes.get('', 'list', {
    needs: 'approvals:read',
    summary: 'List approvals',
    description: 'Sends that agents asked for, newest first, and what became of them.',
    query: PageQuery,
    answers: { 200: pageOf(ApprovalSummary) },
    handle: async (request) => {
      const { items, total } = await listApprovals(sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.get('/:id', 'get', {
    needs: 'approvals:read',
    summary: 'Read an approval',
    description: 'With everything it is about, as it was when it was asked for.',
    answers: { 200: Approval },
    handle: async (request) => readApproval({ sql }, request.caller.workspaceId, request.params.id),
  })
}
