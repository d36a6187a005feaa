import type pg from 'pg'
import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { ANSWER_FORM_SUBMISSION, answerFormSubmission } from './answer-form-submission.ts'
import { collectForms } from './collect.ts'
import type { SignUpDeps } from './confirm-sign-up.ts'
import { DROP_FORM, dropForm } from './drop-form.ts'
import { expireFormSubmissions } from './expire-form-submissions.ts'
import { FORGET_FORM_SUBMISSIONS, forgetFormSubmissions } from './forget-form-submissions.ts'
import { formPages } from './form-pages.ts'
import { createSubjects } from './mail-budgets.ts'
import { formRoutes, submissionRoutes, versionRoutes } from './routes.ts'
import { signUpPages } from './sign-up-pages.ts'
import { tellAttacked } from './tell-attacked.ts'

export type FormsModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  keys: SecretKeys
  secrets: SecretBox
  mailer: Pick<SystemMailer, 'queue'>
  linkKeys: LinkKeys
  bindVisitor: SignUpDeps['bindVisitor']
  /** Where people reach the service, with a slash at its end. */
  baseUrl: URL
  now?: () => number
}

const EXPIRE_EVERY_SECONDS = HOUR_SECONDS
const TELL_EVERY_SECONDS = 300

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
        // Its answer said that a mail follows.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }) {
          await answerFormSubmission(deps, payload)
          return { outcome: 'ok' }
        },
      }),
      handlerOf(DROP_FORM, {
        reach: 'database',
        // Addresses of people who have not confirmed go with it.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { signal, stopping }) {
          const left = await dropForm(given.pool, payload, () => stopping.aborted || signal.aborted)
          return left === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      handlerOf(FORGET_FORM_SUBMISSIONS, {
        reach: 'database',
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { signal, stopping }) {
          const left = await forgetFormSubmissions(given.pool, payload, () => stopping.aborted || signal.aborted)
          return left === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      {
        kind: 'tell_attacked_forms',
        queue: 'default',
        everySeconds: TELL_EVERY_SECONDS,
        async run(_job, { signal, stopping }) {
          await tellAttacked(deps, () => stopping.aborted || signal.aborted)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'expire_form_submissions',
        queue: 'default',
        everySeconds: EXPIRE_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { signal, stopping }) {
          const done = await expireFormSubmissions(deps, () => stopping.aborted || signal.aborted)
          return done ? { outcome: 'ok' } : { outcome: 'more' }
        },
      },
    ],
  }
}
