import type pg from 'pg'
import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { ANSWER_FORM_SUBMISSION, answerFormSubmission } from './answer-form-submission.ts'
import { collectForms } from './collect.ts'
import { expireFormSubmissions } from './expire-form-submissions.ts'
import { formPages } from './form-pages.ts'
import { createSubjects } from './mail-budgets.ts'
import { formRoutes, submissionRoutes, versionRoutes } from './routes.ts'
import { signUpPages } from './sign-up-pages.ts'

export type FormsModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  keys: SecretKeys
  secrets: SecretBox
  linkKeys: LinkKeys
  /** Where people reach the service, with a slash at its end. */
  baseUrl: URL
  now?: () => number
}

const EXPIRE_EVERY_SECONDS = 3_600

export function formsModule({ now = Date.now, ...given }: FormsModuleDeps): Module {
  const subjects = createSubjects(given.keys)
  const deps = { ...given, now, subjects, ownOrigin: given.baseUrl.origin }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        formRoutes(app, deps, door)
        versionRoutes(app, deps, door)
        submissionRoutes(app, deps, door)
      }
      formPages(app, deps)
      signUpPages(app, deps)
      collectForms(app, deps)
    },
    jobs: [
      handlerOf(ANSWER_FORM_SUBMISSION, {
        reach: 'database',
        async run({ payload }) {
          await answerFormSubmission(deps, payload)
          return { outcome: 'ok' }
        },
      }),
      {
        kind: 'expire_form_submissions',
        queue: 'default',
        everySeconds: EXPIRE_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { signal, stopping }) {
          const done = await expireFormSubmissions(deps, () => stopping.aborted || signal.aborted)
          return done ? { outcome: 'ok' } : { outcome: 'snooze', afterMs: 0 }
        },
      },
    ],
  }
}
