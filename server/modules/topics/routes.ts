import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { createTopic, deleteTopic, listTopics, readTopic, type TopicDeps, updateTopic } from './manage-topics.ts'
import { Topic, TopicBody, TopicChange } from './schemas.ts'

/** The topics of a workspace. */
export function topicRoutes(app: HttpApp, deps: TopicDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/topics', family: 'Topics' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List topics',
    description: 'Kinds of mail that readers choose by themselves. Ascending by id.',
    query: PageQuery,
    answers: { 200: pageOf(Topic) },
    handle: async (request) => {
      const { items, total } = await listTopics(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Create a topic',
    description: 'Public and for everyone when it is not said otherwise.',
    body: TopicBody,
    answers: { 201: Topic },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createTopic(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read a topic',
    answers: { 200: Topic },
    etag: true,
    handle: async (request) => readTopic(deps, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'contacts:write',
    summary: 'Change a topic',
    description: 'Absent fields stay. Messages that are queued already heed the change.',
    body: TopicChange,
    answers: { 200: Topic },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) =>
      updateTopic(deps, request.caller, {
        ...{ id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) },
      }),
  })

  routes.delete('/:id', 'delete', {
    needs: 'contacts:write',
    summary: 'Delete a topic',
    description:
      'With the subscriptions to it, which go in the background. 409 while a broadcast that is not sent or canceled is of it, or a segment or an automation names it.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteTopic(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
