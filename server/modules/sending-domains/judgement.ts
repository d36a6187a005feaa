/**
 * The judgement of a record by a check. `missing` and `wrong` are definite; `unknown` means that the name servers gave no
 * answer, so that nothing follows from it.
 */
export const RECORD_STATES = ['ok', 'missing', 'wrong', 'unknown'] as const
export type RecordState = (typeof RECORD_STATES)[number]

/** `found` is what the name has of this kind; `detail` says in plain words what to do, or that nothing is. */
export type Judgement = { state: RecordState; found: readonly string[]; detail: string }
