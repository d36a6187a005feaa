import { type Batch, Ledger } from '../crash/ledger.ts'

/** A ledger that knows when each batch was acknowledged, and when each event was delivered. */
export class TimedLedger extends Ledger {
  readonly acknowledgedAt: number[] = []
  readonly deliveredAt: number[] = []
  /** Batches of which their sender does not know what became. */
  unknown = 0

  override attempt(size: number, hooked: boolean): Batch {
    const batch = super.attempt(size, hooked)
    let fate = batch.fate
    Object.defineProperty(batch, 'fate', {
      enumerable: true,
      get: () => fate,
      set: (next: Batch['fate']) => {
        if (next === 'acknowledged') this.acknowledgedAt.push(performance.now())
        if (next === 'unknown') this.unknown++
        fate = next
      },
    })
    return batch
  }

  override deliver(event: string, webhookId: string): void {
    super.deliver(event, webhookId)
    this.deliveredAt.push(performance.now())
  }
}

/** The longest time between two moments, or between them and the ends of a span, in seconds. */
export function longestGap(moments: readonly number[], { from, to }: { from: number; to: number }): number {
  let longest = 0
  let before = from
  for (const moment of moments) {
    if (moment < from || moment > to) continue
    longest = Math.max(longest, moment - before)
    before = moment
  }
  return Math.round(Math.max(longest, to - before) / 100) / 10
}
