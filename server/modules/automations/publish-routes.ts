import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { type Door, routesOf } from '../door.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { publishAutomation } from './definition/publish-automation.ts'
import { PublishBody, Published } from './schemas.ts'
import { previewPublish } from './seeing/preview-publish.ts'
import { PublishPreview } from './seeing/publish-schemas.ts'

const PREVIEW_DEADLINE_MS = 10_000

/** A draft that comes into force, and those inside with it. */
export function publishRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.post('/:id/publish-preview', 'previewPublish', {
    needs: 'automations:write',
    deadlineMs: PREVIEW_DEADLINE_MS,
    summary: 'See what publishing would do',
    description: 'Node by node: what differs, who stands there, where they go on, and what the next 24 hours hold.',
    body: PublishBody,
    answers: { 200: PublishPreview },
    problems: [409, 412, 422],
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id, ifMatch: ifMatchOf(request) }
      return previewPublish(sql, key, request.body)
    },
  })

  routes.post('/:id/publish', 'publish', {
    needs: 'automations:activate',
    summary: 'Publish the draft',
    description:
      'Makes it the version in force; whether anybody may come in stays as it is. Those inside older versions stay there, ' +
      'come along, or leave, in chunks; whatever an earlier publishing had begun for them and has not done yet is revoked. ' +
      'With an unchanged draft only those inside are concerned. `If-Match` names the draft that is meant.',
    body: PublishBody,
    answers: { 200: Published },
    problems: [409, 412, 422],
    handle: async (request) => {
      const { id } = request.params
      return publishAutomation({ sql }, request.caller, { id, body: request.body, ifMatch: ifMatchOf(request) })
    },
  })
}
