import { userInfo } from 'node:os'
import { SCOPES } from '../catalogue/scopes.ts'
import type { Actor } from '../modules/audit/record-audit.ts'
import type { Caller } from '../modules/auth/caller.ts'

/** The person who runs the instance's command line: may do everything, and is named in the audit log. */
export function operator(workspaceId: string): Caller {
  return {
    workspaceId,
    actor: operatorActor(),
    scopes: new Set(SCOPES),
    requestId: null,
    ip: null,
    userAgent: null,
  }
}

/** The same for what belongs to no workspace. */
export function operatorActor(): Actor {
  return { kind: 'operator', id: null, name: nameOfOperator() }
}

function nameOfOperator(): string | null {
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as in many containers.
    return null
  }
}
