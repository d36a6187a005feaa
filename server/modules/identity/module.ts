import { DAY_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { enqueueSweep } from '../personal-data/erase-contact.ts'
import { forgetOldClaims } from './claims.ts'
import { type IdentityCollectDeps, identityCollect } from './collect.ts'
import { IDENTIFY_VISITOR, type IdentifyVisitorDeps, identifyVisitor } from './identify-visitor.ts'
import { identityConflictRoutes, identityKeyRoutes } from './routes.ts'

export type IdentityModuleDeps = Omit<IdentityCollectDeps, 'addresses' | 'enqueueSweep'> & IdentifyVisitorDeps

export function identityModule(deps: IdentityModuleDeps): Module {
  const { sql, pool } = deps
  return {
    routes(app) {
      const addresses = createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
      app.addHook('onClose', async () => addresses.stop())
      for (const door of [API_DOOR, SITE_DOOR]) {
        identityKeyRoutes(app, deps, door)
        identityConflictRoutes(app, { sql, enqueueSweep }, door)
      }
      identityCollect(app, { ...deps, enqueueSweep, addresses })
    },
    jobs: [
      handlerOf(IDENTIFY_VISITOR, {
        reach: 'database',
        // A statement of a page is made once.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }) {
          await identifyVisitor(deps, payload)
          return { outcome: 'ok' }
        },
      }),
      {
        kind: 'forget_identity_claims',
        queue: 'default',
        everySeconds: DAY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await forgetOldClaims(pool, () => stopping.aborted)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
