import type pg from 'pg'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import { createPacer } from '../pacing/pacer.ts'
import { foldMessageHours } from './ledger/fold-message-hours.ts'
import { MESSAGE_NEEDS, messagePartitions } from './ledger/message-partitions.ts'
import type { MessageSource } from './message-source.ts'
import { RELEASE_HELD_MESSAGES, releaseHeldMessages } from './restraint/release-held-messages.ts'
import type { Transports } from './transports/transports.ts'
import { createHandingMarks } from './turn/mark-handing.ts'
import { createResultRecorder, type RecorderDeps } from './turn/result-recorder.ts'
import { type SendDeps, sendMessages } from './turn/send-messages.ts'

/**
 * Time for the results that are left when no turn runs any more; the next turn of a lane takes the others' claims for
 * lost.
 */
const RECORD_WITHIN_MS = 1_000
const FOLD_EVERY_SECONDS = HOUR_SECONDS

export type SendingModuleDeps = Pick<
  SendDeps,
  'secrets' | 'isCatcher' | 'instead' | 'returnPathOf' | 'unsubscribeAddressOf' | 'messageIdOf'
> & {
  pool: pg.Pool
  sources: readonly MessageSource[]
  transports: Transports
  retentionDays: number
  onRecorded: RecorderDeps['onRecorded']
  onUnrecorded: (results: number) => void
  onError(error: unknown): void
}

export function sendingModule(deps: SendingModuleDeps): Module {
  const { pool, onError, onRecorded } = deps
  const sending: SendDeps = {
    ...deps,
    sources: new Map(deps.sources.map((source) => [source.kind, source])),
    pacer: createPacer({ pool, onError }),
    marks: createHandingMarks(pool, onError),
    recorder: createResultRecorder({ pool, onRecorded, onError }),
  }
  return {
    partitions: messagePartitions(deps.retentionDays),
    needs: MESSAGE_NEEDS,
    async close() {
      await deps.transports.close()
      deps.onUnrecorded(await sending.recorder.stop(RECORD_WITHIN_MS))
    },
    jobs: [
      ...sendMessages(sending),
      handlerOf(RELEASE_HELD_MESSAGES, {
        reach: 'database',
        async run({ payload }, { signal, stopping }) {
          const done = await releaseHeldMessages(pool, payload.workspaceId, AbortSignal.any([signal, stopping]))
          return done === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      }),
      {
        kind: 'fold_message_hours',
        queue: 'default',
        everySeconds: FOLD_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await foldMessageHours(pool, () => stopping.aborted)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
