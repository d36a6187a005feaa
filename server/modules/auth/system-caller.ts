import type { Caller } from './caller.ts'

/** The service itself, which acts by the rules of a workspace and not for anybody. */
export function systemCaller(workspaceId: string): Caller {
  const actor = { kind: 'system', id: null, name: null } as const
  return { workspaceId, actor, requestId: null, ip: null, userAgent: null, scopes: new Set() }
}
