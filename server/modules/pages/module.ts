import type { ResetDeps } from '../account/request-password-reset.ts'
import type { Module } from '../module.ts'
import { declarePages } from './declare-pages.ts'
import { invitationPages } from './invitation-page.ts'
import { type LoginPagesDeps, loginPages } from './login-pages.ts'
import { resetPages } from './reset-page.ts'

export function pagesModule(deps: LoginPagesDeps & ResetDeps): Module {
  return {
    routes(app) {
      declarePages(app, (pages) => {
        loginPages(pages, deps)
        resetPages(pages, deps)
        invitationPages(pages, deps)
      })
    },
  }
}
