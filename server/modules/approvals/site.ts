import type { HttpApp } from '../../platform/http/http-app.ts'
import { mayBeAbsent } from '../../platform/schema/schemas.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import type { StepUpDeps } from '../second-factor/step-up.ts'
import type { PlanDeps } from './acts/act.ts'
import { approve, reject } from './decide-approval.ts'
import { Approval, ApproveBody } from './schemas.ts'

/** It renders and counts again. */
const APPROVE_DEADLINE_MS = 15_000

/** Deciding, which only a person does, in a session: there is no token for it. */
export function approvalsSite(app: HttpApp, deps: PlanDeps & StepUpDeps): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/approvals', family: 'Approvals' })

  routes.post('/:id/approve', 'approve', {
    needs: 'broadcasts:send',
    summary: 'Approve what an agent asked for',
    description:
      'Does exactly that. 409 `plan-changed` when its content or rules are others by now, its audience has moved by more ' +
      'than 5 %, or its time has passed. An automation takes `automations:activate` as well, a mail `emails:send`. Above ' +
      '1,000 people, and for an automation, your password is asked for, or a code of your second factor if you have one.',
    body: mayBeAbsent(ApproveBody),
    answers: { 200: Approval },
    problems: [409, 422, 429],
    deadlineMs: APPROVE_DEADLINE_MS,
    handle: async ({ caller, params, body }) => approve(deps, caller, { ...body, id: params.id }),
  })

  routes.post('/:id/reject', 'reject', {
    needs: 'broadcasts:send',
    summary: 'Turn down what an agent asked for',
    answers: { 200: Approval },
    problems: [409],
    handle: async (request) => reject(deps, request.caller, { id: request.params.id }),
  })
}
