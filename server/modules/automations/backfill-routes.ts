import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { beginBackfill, lastBackfill, previewBackfill, revokeBackfill } from './backfill/manage-backfills.ts'
import {
  BACKFILL_DAYS,
  Backfill,
  BackfillBody,
  BackfillPreview,
  backfillQuery,
  LastBackfill,
} from './backfill/schemas.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'

const COUNT_DEADLINE_MS = 10_000

/** Past triggers that go through the entry of an automation. */
export function backfillRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.get('/:id/backfill-preview', 'previewBackfill', {
    needs: 'automations:read',
    deadlineMs: COUNT_DEADLINE_MS,
    summary: 'Count past triggers',
    description:
      'How many events of its triggers there were, whose they are, and who of these has come in before. Nothing happens.',
    query: backfillQuery,
    answers: { 200: BackfillPreview },
    problems: [409, 422],
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, automationId: request.params.id }
      return previewBackfill({ sql }, key, { days: request.query.days ?? BACKFILL_DAYS })
    },
  })

  routes.post('/:id/backfill', 'backfill', {
    needs: 'automations:activate',
    deadlineMs: COUNT_DEADLINE_MS,
    summary: 'Have past triggers go through the entry',
    description:
      'In the background. Whether anybody comes in the rules of the entry decide: `explain` has the verdict on each.',
    body: BackfillBody,
    answers: { 202: Backfill },
    problems: [409, 422],
    handle: async (request) => beginBackfill({ sql }, request.caller, { id: request.params.id, body: request.body }),
  })

  routes.get('/:id/backfill', 'getBackfill', {
    needs: 'automations:read',
    summary: 'Read the last backfill',
    description: 'How far it is.',
    answers: { 200: LastBackfill },
    handle: async (request) => ({
      last: await lastBackfill({ sql }, { workspaceId: request.caller.workspaceId, automationId: request.params.id }),
    }),
  })

  routes.post('/:id/backfill/revoke', 'revokeBackfill', {
    needs: 'automations:activate',
    summary: 'Revoke a backfill',
    description: 'Nobody more comes in by it, neither those who wait for their turn. Those inside stay.',
    answers: { 200: Backfill },
    problems: [409],
    handle: async (request) => revokeBackfill({ sql }, request.caller, request.params.id),
  })
}
