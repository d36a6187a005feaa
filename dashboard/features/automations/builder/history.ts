/** States before and after the present one; each is kept as it was, so that going back gives the same bytes. */
export type History<T> = { past: readonly T[]; now: T; future: readonly T[]; group: string | undefined }

export const historyOf = <T>(now: T): History<T> => ({ past: [], now, future: [], group: undefined })

/** Notes a change. Changes of one group that follow each other, as keys of one field do, are one. */
export function record<T>(history: History<T>, now: T, group?: string): History<T> {
  if (now === history.now) return history
  const joins = group !== undefined && group === history.group
  return { past: joins ? history.past : [...history.past, history.now], now, future: [], group }
}

export function undo<T>({ past, now, future }: History<T>): History<T> | undefined {
  const before = past.at(-1)
  if (before === undefined) return undefined
  return { past: past.slice(0, -1), now: before, future: [now, ...future], group: undefined }
}

export function redo<T>({ past, now, future }: History<T>): History<T> | undefined {
  const [after, ...later] = future
  if (after === undefined) return undefined
  return { past: [...past, now], now: after, future: later, group: undefined }
}
