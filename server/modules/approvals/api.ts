import type { HttpApp } from '../../platform/http/http-app.ts'
import { API_DOOR, routesOf } from '../door.ts'
import type { PlanDeps } from './acts/act.ts'
import { askApproval } from './ask-approval.ts'
import { APPROVALS } from './routes.ts'
import { Approval, ApprovalBody } from './schemas.ts'

/** It renders and counts. */
export const PLAN_DEADLINE_MS = 10_000

/** Asking, which only programs do: a person sends. */
export function approvalsApi(app: HttpApp, deps: PlanDeps): void {
  routesOf(app, API_DOOR, APPROVALS).post('', 'create', {
    needs: 'mcp:send',
    summary: 'Ask for an approval',
    description:
      'Asks the people of the workspace to send a broadcast, to activate an automation, or to mail a template to one contact, ' +
      'and does nothing itself. What is asked for is written down: content, sender, audience and time. A person approves ' +
      'exactly that in the dashboard within 72 hours, or nothing happens. Where a person has given the token a budget, ' +
      'what is within it is done at once. Needs the scope of the act as well: `broadcasts:send`, `automations:activate` or ' +
      '`emails:send`.',
    body: ApprovalBody,
    answers: { 201: Approval },
    problems: [409, 422],
    deadlineMs: PLAN_DEADLINE_MS,
    handle: async (request) => askApproval(deps, request.caller, request.body),
  })
}
