import type pg from 'pg'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { DROP_TOPIC, dropTopic } from './drop-topic.ts'
import type { TopicDeps } from './manage-topics.ts'
import { topicRoutes } from './routes.ts'

export function topicsModule(deps: TopicDeps & { pool: pg.Pool }): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) topicRoutes(app, deps, door)
    },
    jobs: [
      handlerOf(DROP_TOPIC, {
        reach: 'database',
        // Nobody asks for it again.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { signal, stopping }) {
          const left = await dropTopic(deps.pool, payload, () => stopping.aborted || signal.aborted)
          return left === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
    ],
  }
}
