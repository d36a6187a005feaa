import type { Permission } from '../../catalogue/permissions.ts'
import type { Scope } from '../../catalogue/scopes.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import type { SignedIn } from './sessions.ts'

/** On whose behalf work is done, and where it came from. Handlers find it as `request.caller`. */
export type Caller = AuditOrigin & {
  /** Permissions of this caller: the token's scopes, or the permissions of the user's role in the workspace. */
  scopes: ReadonlySet<Permission>
  /** Whether it is an agent that a person connected: what its scopes say of sending is the right to ask. */
  ofAgent?: boolean
  /** The same for every repeat of a request with an `Idempotency-Key`, of 36 characters. Absent without one. */
  repeatId?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every `/api` route and of every `/site/workspaces/:slug` route. */
    caller: Caller
    /** Set before the handler of every other `/site` route that needs a login. */
    session: SignedIn
  }
  interface FastifyContextConfig {
    /** Scope that an `/api` route needs. Every `/api` route states one; `any` means any valid token. */
    scope?: Scope | 'any'
    /** The permission that the user's role must include for a `/site/workspaces/:slug` route; `any` means any member. */
    permission?: Permission | 'any'
    /** Marks a `/site` route that needs no login. */
    withoutSession?: true
    /** Proof that a `/collect` route needs: the key of a tracker, or what the route looks at by itself. */
    collect?: 'tracker' | 'own'
  }
}
