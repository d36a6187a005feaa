import type { Module } from '../module.ts'
import { type FactorRoutesDeps, factorRoutes } from './routes.ts'

export function secondFactorModule(deps: FactorRoutesDeps): Module {
  return { routes: (app) => factorRoutes(app, deps) }
}
