import { HOUR_SECONDS } from '../../platform/durations.ts'
import { createGuardParts } from '../auth/guard.ts'
import type { RequestLimits } from '../auth/limit-requests.ts'
import type { Listener, Module } from '../module.ts'
import { forgetSubmissions } from './forget-submissions.ts'
import type { SubmissionSetting } from './submission-setting.ts'
import type { SubmissionDeps } from './submission-talk.ts'

export type SubmissionModuleDeps = Omit<SubmissionDeps, 'guard'> & {
  setting: SubmissionSetting | undefined
  limits: RequestLimits
}

export function submissionModule(deps: SubmissionModuleDeps): Module {
  return {
    listeners: listenersOf(deps),
    jobs: [
      {
        kind: 'forget_submissions',
        queue: 'default',
        everySeconds: HOUR_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await forgetSubmissions(deps.sql, () => stopping.aborted)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}

function listenersOf(deps: SubmissionModuleDeps): Listener[] {
  const { setting, limits, sql } = deps
  if (setting === undefined) return []
  const { addresses, ...place } = setting
  return addresses.map((address) => ({
    setting: 'SUBMISSION_ADDR',
    address,
    async start() {
      const { startSubmission } = await import('./submission-listener.ts')
      const guard = createGuardParts({ sql, limits })
      const listener = await startSubmission({ ...deps, guard }, { ...place, address }).catch(async (error) => {
        await guard.stop()
        throw error
      })
      return { ...listener, close: () => listener.close().then(() => guard.stop()) }
    },
  }))
}
