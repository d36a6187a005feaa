import type pg from 'pg'
import { answerLost, keyReused, requestInFlight } from '../../catalogue/problems.ts'
import { assertNever } from '../../platform/assert-never.ts'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { judgeKey } from './judge-key.ts'
import { type Claim, deleteExpiredKey, insertKey, type KeyPlace, keyAt, takeOverKey } from './queries.ts'

/** How long a key is known after its first use, where nothing else is said. */
const KEY_SECONDS = DAY_SECONDS
/** Others may change the key between our looks at it; nobody meets that many of them. */
const LOOKS_MAX = 5

type Request = KeyPlace & { fingerprint: Buffer; leaseMs: number; keepSeconds?: number | undefined }
type Claimed =
  | { outcome: 'claimed'; claim: Claim }
  | { outcome: 'answered'; claim: Claim; answer: string; targetType: string | null; targetId: string | null }

/**
 * Claims the right to carry a request out, committed before anything is done for it, or finds its recorded answer.
 * Throws 422 when the key belongs to another request, 409 while that one is being worked on, and 409 naming its target
 * when it took effect but its answer is not known.
 */
export async function claimRequest(sql: pg.Pool, request: Request): Promise<Claimed> {
  const { workspaceId, keyHash, fingerprint, leaseMs, keepSeconds = KEY_SECONDS } = request
  for (let look = 0; look < LOOKS_MAX; look++) {
    const claim = await insertKey(sql, { ...request, keepSeconds })
    if (claim) return { outcome: 'claimed', claim }
    const known = await keyAt(sql, request)
    if (!known) continue
    const before = { workspaceId, keyHash, id: known.id, claim: known.claim }
    const { targetType, targetId } = known
    const verdict = judgeKey(known, fingerprint)
    switch (verdict) {
      case 'expired':
        await deleteExpiredKey(sql, before)
        break
      case 'reused':
        throw keyReused()
      case 'answered':
        return { outcome: 'answered', claim: before, answer: known.answer!, targetType, targetId }
      case 'inFlight':
        throw requestInFlight(known.leaseSeconds)
      case 'lost':
        throw answerLost(targetType, targetId)
      case 'free': {
        const taken = await takeOverKey(sql, before, leaseMs)
        if (taken) return { outcome: 'claimed', claim: taken }
        break
      }
      default:
        assertNever(verdict)
    }
  }
  throw requestInFlight(1)
}
