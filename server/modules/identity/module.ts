import type pg from 'pg'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { enqueueSweep } from '../personal-data/erase-contact.ts'
import { forgetOldClaims } from './claims.ts'
import { type IdentityCollectDeps, identityCollect } from './collect.ts'
import { identityConflictRoutes, identityKeyRoutes } from './routes.ts'

export type IdentityModuleDeps = Omit<IdentityCollectDeps, 'addresses'> & { pool: pg.Pool }

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
      identityCollect(app, { ...deps, addresses })
    },
    jobs: [
      {
        kind: 'forget_identity_claims',
        queue: 'default',
        everySeconds: DAY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          while (!stopping.aborted && (await forgetOldClaims(pool)) > 0);
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
