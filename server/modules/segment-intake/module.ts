import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import type { Module } from '../module.ts'
import { type SegmentCollectDeps, segmentCollect } from './collect.ts'
import { type IdentityLimits, limitMessages } from './limit-messages.ts'

type SegmentIntakeModuleDeps = Omit<SegmentCollectDeps, 'limitIdentity'> & {
  limits: IdentityLimits['limits']
}

export function segmentIntakeModule(deps: SegmentIntakeModuleDeps): Module {
  const { sql, limits } = deps
  return {
    routes(app) {
      const addresses = createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
      const trackers = createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
      app.addHook('onClose', async () => {
        addresses.stop()
        trackers.stop()
      })
      const all = { addresses, trackers, limits }
      segmentCollect(app, { ...deps, limitIdentity: (by, times) => limitMessages(all, by, times) })
    },
  }
}
