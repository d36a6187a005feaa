import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { RecordedAnswer } from '../../platform/http/idempotency-key.ts'
import { type Claim, deleteUnusedKey, endLease, storeAnswer } from './queries.ts'

/** Largest answer that is recorded; a repeat of a request with a larger one is told that its answer is not known. */
const ANSWER_CHARS_MAX = 262_144

/**
 * Refusals that are answers of the operation itself and are recorded like its successes. Others (a body that does not
 * fit, a missing scope, a rate limit) say nothing about the state of things, so the key stays free for a better request.
 */
const RECORDED_REFUSALS: ReadonlySet<number> = new Set([402, 404, 409, 410, 412, 422])

export type AnswerDeps = {
  sql: pg.Pool
  /** Answers may hold personal data and secrets: they are kept encrypted, bound to their key. */
  answers: SecretBox
}

/** Keeps the answer of a claimed request, or gives its key back. `answer` is undefined for one that is no plain text. */
export async function settleClaim(
  deps: AnswerDeps,
  claim: Claim,
  { status, answer }: { status: number; answer: RecordedAnswer | undefined },
): Promise<void> {
  if (status >= 500) return endLease(deps.sql, claim)
  if (status >= 400 && !RECORDED_REFUSALS.has(status)) return deleteUnusedKey(deps.sql, claim)
  const isKept = answer !== undefined && answer.body.length <= ANSWER_CHARS_MAX
  const sealed = isKept ? deps.answers.seal(JSON.stringify(answer), rowOf(claim)) : null
  await storeAnswer(deps.sql, claim, { status, sealed })
}

/** The recorded answer; undefined when the encryption key it was sealed under is no longer configured. */
export function openAnswer(deps: AnswerDeps, claim: Claim, sealed: string): RecordedAnswer | undefined {
  try {
    return JSON.parse(deps.answers.open(sealed, rowOf(claim))) as RecordedAnswer
  } catch {
    return undefined
  }
}

function rowOf({ workspaceId, id }: Claim): string {
  return `${workspaceId}/idempotency_keys/${id}/answer`
}
