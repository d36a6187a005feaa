import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import { limitIdentities } from '../identity/limit-identities.ts'
import type { Module } from '../module.ts'
import { type SegmentCollectDeps, segmentCollect } from './collect.ts'

type SegmentIntakeModuleDeps = Omit<SegmentCollectDeps, 'limitIdentity'> & {
  /** Requests a minute of one client address that say who somebody is; 0 is without limit. */
  limit: number
}

export function segmentIntakeModule(deps: SegmentIntakeModuleDeps): Module {
  const { sql, limit } = deps
  return {
    routes(app) {
      const addresses = createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
      app.addHook('onClose', async () => addresses.stop())
      segmentCollect(app, { ...deps, limitIdentity: (ip) => limitIdentities({ addresses, limit }, ip) })
    },
  }
}
