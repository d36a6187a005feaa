import type { Epoch, HeldReason, Installation } from './installation.ts'

/**
 * Judges a database by what was known of the installation before it answered: `new` when it was never started, `same` when
 * it goes on, else why it is not the one that was known. `cluster`: another cluster or another database than before, so it
 * was restored from a dump or copied. `behind`: it does not know what it had committed, so it was put back to an earlier
 * moment. A failover that lost nothing has the cluster's identifier and every mark, and goes on.
 */
export function judgeEpoch(found: Installation, known: Epoch | undefined): 'new' | 'same' | HeldReason {
  if (found.id === null) return 'new'
  if (!found.isInPlace) return 'cluster'
  return known === undefined || isAsFar(found, known) ? 'same' : 'behind'
}

/** Whether the first is the second or a later state of it. A later epoch is one that somebody has begun knowingly. */
export function isAsFar(found: Epoch, known: Epoch): boolean {
  if (found.epoch !== known.epoch) return found.epoch > known.epoch
  return found.epochId === known.epochId && BigInt(found.mark) >= BigInt(known.mark)
}
