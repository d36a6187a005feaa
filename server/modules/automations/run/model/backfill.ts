import { comeLate } from './come-late.ts'
import { type Followed, fireTimers, type Happening, letIn } from './follow.ts'
import type { Interpreted, Micros } from './model-run.ts'

/** Triggers of the past that are gone through, of one contact, with the moments at which people begin by them. */
export type Backfilling = {
  /** When it is done: everything until then has happened. */
  at: Micros
  past: readonly { happening: Happening; beginsAt: Micros }[]
  /** All that has happened to the contact by then. */
  before: readonly Happening[]
}

/** Brings somebody in as of now by events of the past, in the order in which they begin: the newest first. */
export function backfillNow(of: Interpreted, followed: Followed, { past }: Pick<Backfilling, 'past'>): void {
  for (const { happening, beginsAt } of past.toSorted((one, other) => one.beginsAt - other.beginsAt)) {
    fireTimers(followed, beginsAt - 1)
    letIn(of, followed, { ...happening, at: beginsAt, recordedAt: happening.at })
  }
}

/** Brings somebody in as of events of the past, the oldest first. Mail that was due before is skipped. */
export function backfillThen(of: Interpreted, followed: Followed, { at, past, before }: Backfilling): void {
  const wishes = past.map(({ happening }) => ({ ...happening, recordedAt: happening.at, mailFrom: at }))
  comeLate(of, followed, { at, wishes, before })
}
