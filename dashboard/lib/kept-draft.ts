/** What this browser keeps of a draft: what is not saved yet, and the tag of the state that it was written on. */
export type KeptDraft<T extends object> = { etag?: string | undefined; change: Partial<T> }

const keyOf = (name: string) => `postroom-draft ${name}`

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
  const { change, etag: writtenOn } = parsed<T>(kept)
  const fields = Object.entries(change) as [keyof T, unknown][]
  const open = fields.filter(([field, written]) => JSON.stringify(written) !== JSON.stringify(value[field]))
  const left = Object.fromEntries(open) as Partial<T>
  const isConflict = open.length > 0 && writtenOn !== etag
  return { change: left, etag: isConflict ? writtenOn : etag, isConflict }
}

function parsed<T extends object>(kept: string | null): KeptDraft<T> {
  try {
    const { change, etag } = JSON.parse(kept ?? '{}') as Partial<KeptDraft<T>>
    return typeof change === 'object' && change !== null ? { change, etag } : { change: {} }
  } catch {
    return { change: {} }
  }
}
