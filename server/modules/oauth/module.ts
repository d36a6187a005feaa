import { HOUR_SECONDS } from '../../platform/durations.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import type { Module } from '../module.ts'
import { type ConnectPagesDeps, connectPages } from './connect-pages.ts'
import { forgetSecrets } from './forget-secrets.ts'
import { oauthRoutes } from './oauth-routes.ts'
import { agentsSite } from './site.ts'

/** Its `client` is its own, and ends with it. */
export function oauthModule(deps: Omit<ConnectPagesDeps, 'people'>): Module {
  return {
    routes(app) {
      const count = () => createLimiter((minute, uses) => shareRateCounts(deps.sql, minute, uses))
      const [limiter, people] = [count(), count()]
      app.addHook('onClose', async () => {
        limiter.stop()
        people.stop()
      })
      oauthRoutes(app, { ...deps, limiter })
      connectPages(app, { ...deps, people })
      agentsSite(app, deps)
    },
    close: () => deps.client.close(),
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
