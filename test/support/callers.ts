import { SCOPES, type Scope } from '../../server/catalogue/scopes.ts'
import type { Caller } from '../../server/modules/auth/caller.ts'

/** The instance's own operator, who may do everything. */
export function operator(workspaceId: string, scopes: readonly Scope[] = SCOPES): Caller {
  const actor = { kind: 'operator', id: null, name: 'test' } as const
  return { workspaceId, actor, scopes: new Set(scopes), requestId: null, ip: null, userAgent: null }
}
