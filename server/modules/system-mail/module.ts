import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import { deleteOldMails } from './queries.ts'
import { retryDelayMs, type SendDeps, sendSystemMail } from './send-system-mail.ts'
import { SEND_SYSTEM_MAIL } from './system-mailer.ts'

const CLEAN_EVERY_SECONDS = HOUR_SECONDS
/** How long it can be seen that a mail was sent, or read what was kept. */
const MAILS_RETENTION_DAYS = 30
const SEND_RUN_TIMEOUT_MS = 120_000

export function systemMailModule(deps: SendDeps): Module {
  return {
    jobs: [
      handlerOf(SEND_SYSTEM_MAIL, {
        reach: 'mailbox',
        // The mail itself says how long it is tried.
        attemptsMax: Number.POSITIVE_INFINITY,
        retryDelayMs,
        timeoutMs: SEND_RUN_TIMEOUT_MS,
        run: ({ payload }) => sendSystemMail(deps, payload.mailId),
      }),
      {
        kind: 'delete_old_system_mails',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await deleteOldMails(deps.pool, MAILS_RETENTION_DAYS)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
