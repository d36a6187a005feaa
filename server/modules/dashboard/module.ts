import type pg from 'pg'
import type { Module } from '../module.ts'
import { createBuiltApp } from './built-app.ts'
import { dashboardRoutes } from './dashboard-pages.ts'
import { createBuildKeeper } from './keep-built.ts'

type Deps = { sql: pg.Pool; appUrl: URL | undefined; onError: (error: unknown) => void }

export function dashboardModule({ onError, ...deps }: Deps): Module {
  const keeper = createBuildKeeper(onError)
  return {
    routes(app) {
      dashboardRoutes(app, { ...deps, built: createBuiltApp(), keeper })
      app.addHook('onListen', async () => {
        keeper.refresh().catch(onError)
      })
    },
    close: async () => keeper.stop(),
  }
}
