import type { Module } from '../module.ts'
import { confirmAnswers } from './confirm-answers.ts'
import { heedIdempotencyKeys } from './heed-keys.ts'
import { deleteExpiredKeys } from './queries.ts'
import type { AnswerDeps } from './settle-claim.ts'

const CLEAN_EVERY_SECONDS = 600

export function idempotencyModule(deps: AnswerDeps): Module {
  return {
    beforeRoutes(app) {
      heedIdempotencyKeys(app, deps)
      confirmAnswers(app, deps.sql)
    },
    jobs: [
      {
        kind: 'delete_expired_idempotency_keys',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await deleteExpiredKeys(deps.sql, () => stopping.aborted)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
