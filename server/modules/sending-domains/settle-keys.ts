import { assertNever } from '../../platform/assert-never.ts'
import type { RecordState } from './judgement.ts'

export type KeyRole = 'current' | 'next' | 'retiring'
export type KeyState = { id: string; role: KeyRole; verified: boolean; retiresAt: string | null }

/** The key before a switch stays published this long: queued mail signed with it is delivered within five days. */
export const KEY_OVERLAP_DAYS = 7

/** The state of a key after a check; `gone` keys are forgotten. `retires`: from now on it has the overlap left. */
export type SettledKey = { id: string; role: KeyRole | 'gone'; verified: boolean; retires: boolean }

/**
 * Decides what a check means for a domain's keys. A definite answer decides whether a key is verified, an unknown one
 * leaves it. The next key takes over once it is verified, and only then; the key before it retires after the overlap,
 * which begins when its successor is verified, so that there is always one to sign with.
 */
export function settleKeys(
  keys: readonly KeyState[],
  found: ReadonlyMap<string, RecordState>,
  nowMs: number,
): SettledKey[] {
  const checked = keys.map((key) => {
    const state = found.get(key.id) ?? 'unknown'
    return { ...key, wasVerified: key.verified, verified: state === 'unknown' ? key.verified : state === 'ok' }
  })
  const takesOver = checked.some((key) => key.role === 'next' && key.verified)
  const successorIsVerified = takesOver || checked.some((key) => key.role === 'current' && key.verified)
  return checked.map(({ id, role, verified, wasVerified, retiresAt }) => {
    switch (role) {
      case 'next':
        return { id, role: takesOver ? 'current' : 'next', verified, retires: false }
      case 'current': {
        if (!takesOver) return { id, role, verified, retires: false }
        return { id, role: verified || wasVerified ? 'retiring' : 'gone', verified, retires: true }
      }
      case 'retiring': {
        const isOver = retiresAt !== null && Date.parse(retiresAt) <= nowMs
        return { id, role: isOver ? 'gone' : role, verified, retires: successorIsVerified && retiresAt === null }
      }
      default:
        return assertNever(role)
    }
  })
}
