import type pg from 'pg'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import type { AddressOfClick } from './address-of-click.ts'
import { HIT_NEEDS, HIT_PARTITIONS } from './hit-partitions.ts'
import { forgetHitWriters } from './hit-queries.ts'
import { judgeDueHits, nextJudgingInMs } from './judge-hits.ts'
import { type LinkKeys, rotateLinkKeys } from './link-keys.ts'
import { linkRoutes } from './link-routes.ts'
import { createHitRecorder, JUDGE_HITS, type LostHits } from './record-hits.ts'

const QUEUE = 'default'
const MAINTAIN_EVERY_SECONDS = HOUR_SECONDS
/** Hits that come one after the other are judged together. */
const JUDGE_PAUSE_MS = 1_000

export type TrackingModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  keys: SecretKeys
  linkKeys: LinkKeys
  addressOf: AddressOfClick
  retentionDays: number
  onLostHits: (lost: LostHits) => void
  onError: (error: unknown) => void
}

export function trackingModule(deps: TrackingModuleDeps): Module {
  const { sql, pool, retentionDays } = deps
  return {
    routes(app) {
      const hits = createHitRecorder({ sql, onLost: deps.onLostHits, onError: deps.onError })
      app.addHook('onClose', () => hits.stop())
      // Read before the first link is followed: from then on links work without the database.
      app.addHook('onListen', () => deps.linkKeys.ready())
      linkRoutes(app, { keys: deps.linkKeys, hits, addressOf: deps.addressOf })
    },
    partitions: [{ ...HIT_PARTITIONS, keepDays: retentionDays }],
    needs: HIT_NEEDS,
    jobs: [
      handlerOf(JUDGE_HITS, {
        reach: 'database',
        // The last hits of a workspace have none behind them that would ask for it.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload: { workspaceId } }, { stopping }) {
          while (await judgeDueHits(deps, workspaceId)) if (stopping.aborted) return { outcome: 'more' }
          const nextInMs = await nextJudgingInMs(deps, workspaceId)
          if (nextInMs === null) return { outcome: 'ok' }
          return { outcome: 'snooze', afterMs: Math.max(JUDGE_PAUSE_MS, nextInMs) }
        },
      }),
      {
        kind: 'maintain_tracking',
        queue: QUEUE,
        everySeconds: MAINTAIN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await forgetHitWriters(pool)
          await rotateLinkKeys({ sql: pool, keys: deps.keys })
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
