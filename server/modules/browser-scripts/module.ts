import { createBuiltApp } from '../dashboard/built-app.ts'
import type { Module } from '../module.ts'
import { createBuiltScripts } from './built-scripts.ts'
import { scriptRoutes } from './script-routes.ts'

export function browserScriptsModule(): Module {
  return {
    routes: (app) => scriptRoutes(app, createBuiltScripts(createBuiltApp())),
  }
}
