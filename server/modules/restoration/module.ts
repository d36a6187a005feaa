import type pg from 'pg'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { readInstallation } from '../../platform/epoch/installation.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import type { Module } from '../module.ts'
import { goOn } from './confirm-restored.ts'
import { pruneJournal } from './journal-entries.ts'
import { replayJob } from './parked-events.ts'
import { CONFIRM_RESTORED, type RestorationDeps } from './read-restoration.ts'
import { restorationSite } from './site.ts'

/** How soon it is worth looking again whether the journal was done again. */
const REAPPLIED_MS = 1_000

export type RestorationModuleDeps = RestorationDeps & {
  pool: pg.Pool
  version: string
  /** Readers of the log, for what they could not handle. */
  groups: () => readonly ConsumerGroup[]
}

export function restorationModule(deps: RestorationModuleDeps): Module {
  return {
    routes: (app) => restorationSite(app, deps),
    jobs: [
      handlerOf(CONFIRM_RESTORED, {
        reach: 'database',
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload: { heldSince, sendsQueued } }) {
          const { held, isReapplied } = await readInstallation(deps.pool)
          if (held !== null && !isReapplied) return { outcome: 'snooze', afterMs: REAPPLIED_MS }
          await goOn(deps.pool, heldSince, sendsQueued)
          return { outcome: 'ok' }
        },
      }),
      replayJob(deps),
      {
        kind: 'prune_journal',
        queue: 'default',
        reach: 'database',
        everySeconds: DAY_SECONDS,
        async run(_job, { signal, stopping }) {
          await pruneJournal(deps.pool, () => stopping.aborted || signal.aborted)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
