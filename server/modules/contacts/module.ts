import type { Module } from '../module.ts'
import { contactsApi } from './api.ts'
import type { ContactDeps } from './create-contact.ts'

export function contactsModule(deps: ContactDeps): Module {
  return { routes: (app) => contactsApi(app, deps) }
}
