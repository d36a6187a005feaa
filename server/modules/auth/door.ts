import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'
import type { Scope } from '../../catalogue/scopes.ts'

/**
 * The two ways to one operation: the management API with a token's scope, and the dashboard API with the permission of
 * a role, under the workspace's slug. A module declares its routes once and opens both doors to them.
 */
export type Door = {
  /** Path before the resource. */
  base: string
  /** Prefix of operation ids. */
  family: '' | 'Site'
  /** Path parameters that the base has. */
  params: { slug?: ReturnType<typeof Type.String> }
  needs(scope: Scope): FastifyContextConfig
}

export const API_DOOR: Door = { base: '/api', family: '', params: {}, needs: (scope) => ({ scope }) }

export const SITE_DOOR: Door = {
  base: '/site/workspaces/:slug',
  family: 'Site',
  params: { slug: Type.String({ maxLength: 63 }) },
  needs: (permission) => ({ permission }),
}
