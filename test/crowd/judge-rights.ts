import type { Said } from './doer.ts'
import { hadRight } from './rights.ts'

/** Of who may not; of somebody who is no member the workspace is not there, and neither is what is gone. */
const REFUSED = new Set([401, 403, 404, 429])

/** Faults of rights: nobody does what they may not do any more or yet, and nobody is refused what they may do. */
export function judgeRights(said: readonly Said[]): string[] {
  return said.flatMap(({ act, method, path, status, text, by, beganAt, endedAt, requestId }) => {
    if (by === undefined) return []
    const { holder, needs } = by
    const had = hadRight(holder, { needs, beganAt, endedAt })
    const told = `${act} (${requestId}): ${method} ${path} ${status} of ${holder.name} for ${needs}: ${text.slice(0, 200)}`
    if (had === 'never' && !REFUSED.has(status)) return [`done without the right: ${told}`]
    if (had === 'always' && (status === 401 || status === 403)) return [`refused in spite of the right: ${told}`]
    return []
  })
}
