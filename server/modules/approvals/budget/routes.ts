import type { HttpApp } from '../../../platform/http/http-app.ts'
import { API_DOOR, routesOf, SITE_DOOR } from '../../door.ts'
import type { StepUpDeps } from '../../second-factor/step-up.ts'
import { APPROVALS } from '../routes.ts'
import { SendPolicy, SendPolicyBody } from './schemas.ts'
import { readPolicy, readPolicyOf, setPolicy } from './send-policy.ts'

/** How far tokens go by themselves: a program reads its own, a person sets it in a session. */
export function policyRoutes(app: HttpApp, deps: StepUpDeps): void {
  routesOf(app, API_DOOR, APPROVALS).get('/policy', 'ownPolicy', {
    needs: 'approvals:read',
    summary: 'Read how far your token goes by itself',
    description: 'Whether an act waits for a person, and what is left of the budget for which none is asked.',
    answers: { 200: SendPolicy },
    handle: async ({ caller }) => readPolicy(deps, { workspaceId: caller.workspaceId, tokenId: caller.actor.id! }),
  })

  const site = routesOf(app, SITE_DOOR, { path: '/tokens', family: 'Approvals' })

  site.get('/:id/send-policy', 'policy', {
    needs: 'tokens:read',
    summary: 'Read how far a token goes by itself',
    description: 'Of what an agent may do with it, and what it has spent of that in 24 hours.',
    answers: { 200: SendPolicy },
    handle: async ({ caller, params }) => readPolicyOf(deps, { workspaceId: caller.workspaceId, tokenId: params.id }),
  })

  site.put('/:id/send-policy', 'setPolicy', {
    needs: 'tokens:write',
    summary: 'Set how far a token goes by itself',
    description:
      'Broadcasts and mails within the budget are done as soon as an agent asks; what is beyond it, and every automation, ' +
      'waits for a person. Above 1,000 people a send your password is asked for, or a code of your second factor if you have one.',
    body: SendPolicyBody,
    answers: { 200: SendPolicy },
    problems: [422, 429],
    handle: async ({ caller, params, body }) => setPolicy(deps, caller, { tokenId: params.id, body }),
  })
}
