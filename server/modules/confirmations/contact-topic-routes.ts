import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { ContactTopic, ContactTopicBody, ContactTopicList } from '../topics/schemas.ts'
import { listContactTopics, setContactTopic } from './contact-topics.ts'
import type { ConfirmationDeps } from './request-confirmations.ts'

/** The topics of one contact. */
export function contactTopicRoutes(app: HttpApp, deps: ConfirmationDeps, door: Door): void {
  const at = { path: '/contacts/:contactId/topics', family: 'ContactTopics', tag: 'Topics' } as const
  const routes = routesOf(app, door, at)

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List the topics of a contact',
    description: 'All topics of the workspace, by name, and what the contact has said to each.',
    answers: { 200: ContactTopicList },
    handle: async (request) => ({
      items: await listContactTopics(deps, request.caller.workspaceId, request.params.contactId),
    }),
  })

  routes.put('/:topicId', 'set', {
    needs: 'contacts:write',
    summary: 'Say that a contact wants a topic, or not',
    description:
      'At your word. The same again changes nothing. Of a topic with double opt-in a yes is `pending`: the contact is asked by mail, at most once in ten minutes.',
    body: ContactTopicBody,
    answers: { 200: ContactTopic },
    problems: [422],
    handle: async (request) => setContactTopic(deps, request.caller, { ...request.params, ...request.body }),
  })
}
