import { HOUR_SECONDS } from '../../platform/durations.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import type { Module } from '../module.ts'
import { type ConnectPagesDeps, connectPages } from './connect-pages.ts'
import { forgetSecrets } from './forget-secrets.ts'
import { oauthRoutes } from './oauth-routes.ts'
import { agentsSite } from './site.ts'

export function oauthModule(deps: ConnectPagesDeps): Module {
  return {
    routes(app) {
      const limiter = createLimiter((minute, uses) => shareRateCounts(deps.sql, minute, uses))
      app.addHook('onClose', async () => limiter.stop())
      oauthRoutes(app, { ...deps, limiter })
      connectPages(app, deps)
      agentsSite(app, deps)
    },
    jobs: [
      {
        kind: 'forget_agent_secrets',
        queue: 'default',
        everySeconds: HOUR_SECONDS,
        reach: 'database',
        async run() {
          await forgetSecrets(deps)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
