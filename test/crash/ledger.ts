/** The fate of a batch as its sender saw it: answered 204, refused for certain, or nobody knows. */
export type BatchFate = 'attempted' | 'acknowledged' | 'refused' | 'unknown'

export type Batch = { id: number; size: number; hooked: boolean; fate: BatchFate }

/** Kept outside the process under test, and written before a request leaves. */
export class Ledger {
  readonly batches: Batch[] = []
  /** webhook-ids under which each delivered event came, by event (`batch/item`), and how often. */
  readonly delivered = new Map<string, { webhookIds: Set<string>; times: number }>()
  duplicates = 0

  attempt(size: number, hooked: boolean): Batch {
    const batch: Batch = { id: this.batches.length, size, hooked, fate: 'attempted' }
    this.batches.push(batch)
    return batch
  }

  deliver(event: string, webhookId: string): void {
    const known = this.delivered.get(event) ?? { webhookIds: new Set(), times: 0 }
    known.webhookIds.add(webhookId)
    known.times++
    if (known.times > 1) this.duplicates++
    this.delivered.set(event, known)
  }

  count(fate: BatchFate): number {
    return this.batches.filter((batch) => batch.fate === fate).length
  }

  get events(): number {
    return this.batches.reduce((sum, batch) => sum + batch.size, 0)
  }

  get eventsAcknowledged(): number {
    return this.batches.reduce((sum, { size, fate }) => sum + (fate === 'acknowledged' ? size : 0), 0)
  }
}

/** Rows that the database holds of a batch, and distinct items among them. */
export type Stored = Map<number, { rows: number; items: number }>

export type Verdict = {
  /** Acknowledged and not stored: must be 0. */
  lost: number
  /** Stored more than once: must be 0. */
  doubled: number
  /** Stored and never sent, or refused and stored all the same: must be 0. */
  unexpected: number
  /** Events of batches that were refused, though nothing is wrong with any: must be 0. */
  refused: number
  /** Unknown batches stored in part: must be 0. */
  torn: number
  /** Unknown and stored whole: allowed. */
  recovered: number
  /** Stored events of hooked batches that no delivery brought: must be 0. */
  undelivered: number
  /** Events that came and are not stored, or that nobody was to get: must be 0. */
  phantoms: number
  /** Events that came under more than one webhook-id: must be 0. */
  twoIds: number
}

/** Of a run in which nothing went wrong, whatever was recovered. */
export const NO_FAULTS: Omit<Verdict, 'recovered'> = {
  lost: 0,
  doubled: 0,
  unexpected: 0,
  refused: 0,
  torn: 0,
  undelivered: 0,
  phantoms: 0,
  twoIds: 0,
}

/** Jepsen's total-queue checker over the ledger, the stored rows and the deliveries. */
export function judge(ledger: Ledger, stored: Stored): Verdict {
  const verdict: Verdict = { ...NO_FAULTS, recovered: 0 }
  for (const batch of ledger.batches) {
    const { rows, items } = stored.get(batch.id) ?? { rows: 0, items: 0 }
    verdict.doubled += rows - items
    if (batch.fate === 'acknowledged') verdict.lost += batch.size - items
    else if (batch.fate === 'refused') {
      verdict.refused += batch.size
      verdict.unexpected += items
    } else if (items === batch.size) verdict.recovered++
    else if (items > 0) verdict.torn++
    if (!batch.hooked || items === 0) continue
    for (let item = 0; item < batch.size; item++) {
      if (!ledger.delivered.has(`${batch.id}/${item}`)) verdict.undelivered++
    }
  }
  for (const id of stored.keys()) if (!ledger.batches[id]) verdict.unexpected++
  for (const [event, { webhookIds }] of ledger.delivered) {
    if (webhookIds.size > 1) verdict.twoIds++
    const id = Number(event.split('/', 1)[0])
    if (!ledger.batches[id]?.hooked || !stored.has(id)) verdict.phantoms++
  }
  return verdict
}
