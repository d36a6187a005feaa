import type { Module } from '../module.ts'
import { type WorkspacesDeps, workspacesSite } from './site.ts'

export function workspacesModule(deps: WorkspacesDeps): Module {
  return { routes: (app) => workspacesSite(app, deps) }
}
