import type { Scope } from '../../catalogue/scopes.ts'

/** Who did something, as audit entries name them. `operator` is the instance's command line, `system` is ourselves. */
export type Actor = { kind: 'user' | 'api_token' | 'operator' | 'system'; id: string | null; name: string | null }

/** On whose behalf work is done, and where it came from. Handlers find it as `request.caller`. */
export type Caller = {
  workspaceId: string
  actor: Actor
  /** What this caller may do: the token's scopes, or the scopes of the user's role in the workspace. */
  scopes: ReadonlySet<Scope>
  requestId: string | null
  ip: string | null
  userAgent: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every `/api` route and of every `/site/workspaces/:slug/` route. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Scope that an `/api` route needs. Every `/api` route states one; `any` means any valid token. */
    scope?: Scope | 'any'
    /** Scope that the user's role must hold for a `/site/workspaces/:slug/` route. */
    permission?: Scope | 'any'
  }
}
