import type { Module } from '../module.ts'
import { workspacesApi } from './api.ts'
import { type WorkspacesDeps, workspacesSite } from './site.ts'

export function workspacesModule(deps: WorkspacesDeps): Module {
  return {
    routes(app) {
      workspacesApi(app, deps)
      workspacesSite(app, deps)
    },
  }
}
