import { createHash } from 'node:crypto'
import { COMMON_PROBLEMS, Problem } from './problem.ts'

/** Entity tag of a resource (RFC 9110 section 8.8.3): strong, the same for the same fields in the same order. */
export function etagOf(resource: object): string {
  return `"${createHash('sha1').update(JSON.stringify(resource)).digest('base64url')}"`
}

/**
 * Throws 412 unless the caller's `If-Match` names the resource as it is now (RFC 9110 section 13.1.1). Call it in the
 * transaction that changes the row, once the row is locked, with the resource as a read would answer it.
 */
export function requireMatch(ifMatch: string | undefined, current: object): void {
  if (ifMatch === undefined || namesTag(ifMatch, etagOf(current))) return
  throw new Problem(COMMON_PROBLEMS.preconditionFailed, { detail: 'The resource was changed since it was read.' })
}

/** Whether a list of entity tags, as a header has it, names this one. */
export function namesTag(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some((entry) => entry.trim() === etag)
}
