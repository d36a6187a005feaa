import type pg from 'pg'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import { createPacer } from '../pacing/pacer.ts'
import { MESSAGE_NEEDS, messagePartitions } from './ledger/message-partitions.ts'
import type { MessageSource } from './message-source.ts'
import { SEND_CAMPAIGNS, SEND_SINGLES } from './sending-queue.ts'
import type { Transports } from './transports/transports.ts'
import { createHandingMarks } from './turn/mark-handing.ts'
import { createResultRecorder, type RecorderDeps } from './turn/result-recorder.ts'
import type { RunningTurns } from './turn/running-turns.ts'
import { type SendDeps, sendMessages } from './turn/send-messages.ts'

/** A turn yields after seconds; a server may take ten minutes to answer for a message (RFC 5321 section 4.5.3.2.6). */
const TURN_TIMEOUT_MS = 900_000
/** How long the turn of another run of the same job may take to end, before the job looks after it. */
const TAKEN_OVER_MS = 30_000

/** What is left of the results when no turn runs any more; the next turn of a lane takes the others' claims for lost. */
const RECORD_WITHIN_MS = 1_000

export type SendingModuleDeps = Pick<
  SendDeps,
  'secrets' | 'isCatcher' | 'returnPathOf' | 'messageIdOf' | 'enqueueTurns' | 'tellTurns'
> & {
  pool: pg.Pool
  running: RunningTurns
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
    jobs: [SEND_CAMPAIGNS, SEND_SINGLES].map((turns) =>
      handlerOf(turns, {
        // The lane keeps its own account; the job only has to come back until its turn is over.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: TURN_TIMEOUT_MS,
        async run({ id: jobId, payload }, { stopping }) {
          const end = await sendMessages(sending, { ...payload, jobId }, stopping)
          return end === 'taken_over' ? { outcome: 'snooze', afterMs: TAKEN_OVER_MS } : { outcome: 'ok' }
        },
      }),
    ),
  }
}
