import { ofPersonHere } from './person-here.ts'

/** What this browser keeps of a draft: what is not saved yet, and the tag of the state that it was written on. */
export type KeptDraft<T extends object> = {
  etag?: string | undefined
  change: Partial<T>
  /** Saves on that state of which nobody saw the answer: one of them may have taken effect. */
  unanswered?: readonly Partial<T>[]
}

const keyOf = (name: string) => ofPersonHere(`draft ${name}`)

/** A browser that is full, or keeps nothing, loses the net and not the work. */
export function keepDraft<T extends object>(name: string, kept: KeptDraft<T>): void {
  try {
    if (Object.keys(kept.change).length === 0) localStorage.removeItem(keyOf(name))
    else localStorage.setItem(keyOf(name), JSON.stringify(kept))
  } catch {
    return
  }
}

export function keptDraft(name: string): string | null {
  try {
    return localStorage.getItem(keyOf(name))
  } catch {
    return null
  }
}

/**
 * A kept change laid over what the server has: fields that it has by now are left out, as after a save of which nobody saw
 * the answer. Written on another state, it is a conflict, and `etag` is still the one it was written on.
 */
export function restoredDraft<T extends object>(
  kept: string | null,
  { value, etag }: { value: T; etag: string | undefined },
): { change: Partial<T>; etag: string | undefined; isConflict: boolean } {
  const { change, etag: writtenOn, unanswered = [] } = parsed<T>(kept)
  const left = openFields(change, value)
  const isConflict = Object.keys(left).length > 0 && writtenOn !== etag && !hasLanded(unanswered, value)
  return { change: left, etag: isConflict ? writtenOn : etag, isConflict }
}

/** Fields of a change that the server does not have yet. */
export function openFields<T extends object>(change: Partial<T>, there: T): Partial<T> {
  const fields = Object.entries(change) as [keyof T, unknown][]
  return Object.fromEntries(
    fields.filter(([field, written]) => JSON.stringify(written) !== JSON.stringify(there[field])),
  ) as Partial<T>
}

/** Whether a save took effect whose answer was lost with the server, so that the newer state is one's own. */
export function hasLanded<T extends object>(unanswered: readonly Partial<T>[], there: T): boolean {
  return unanswered.some((sent) => Object.keys(openFields(sent, there)).length === 0)
}

/**
 * Unanswered saves with one more: the first, and the last two that differ. While the server is away there is one every few
 * seconds, each perhaps a whole mail, and a browser keeps five megabytes.
 */
export function withUnanswered<T extends object>(
  unanswered: readonly Partial<T>[],
  sent: Partial<T>,
): readonly Partial<T>[] {
  const text = JSON.stringify(sent)
  if (unanswered.some((one) => JSON.stringify(one) === text)) return unanswered
  const [first, ...others] = [...unanswered, sent]
  return [first!, ...others.slice(-2)]
}

function parsed<T extends object>(kept: string | null): KeptDraft<T> {
  try {
    const { change, etag, unanswered = [] } = JSON.parse(kept ?? '{}') as Partial<KeptDraft<T>>
    return typeof change === 'object' && change !== null ? { change, etag, unanswered } : { change: {} }
  } catch {
    return { change: {} }
  }
}
