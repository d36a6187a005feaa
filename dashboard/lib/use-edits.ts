import { useState } from 'react'

/**
 * What is typed over what is saved. Only fields that differ are sent, so that two people who change different ones take
 * nothing back from each other; what somebody else saves meanwhile shows in the fields that were not touched.
 */
export function useEdits<T extends object>(saved: T) {
  const [edits, setEdits] = useState<Partial<T>>({})
  const changed = Object.fromEntries(
    Object.entries(edits).filter(([name, value]) => value !== saved[name as keyof T]),
  ) as Partial<T>
  return {
    values: { ...saved, ...edits },
    changed,
    isChanged: Object.keys(changed).length > 0,
    edit: (change: Partial<T>) => setEdits((before) => ({ ...before, ...change })),
    /** Once the save that was pressed here is done. Whatever was typed while it was on its way is not saved, and stays. */
    clear: () => setEdits((now) => typedSince(edits, now)),
  }
}

/** What was typed after something was sent. */
export function typedSince<T extends object>(sent: T, now: T): Partial<T> {
  const fields = Object.entries(now).filter(([name, value]) => value !== sent[name as keyof T])
  return Object.fromEntries(fields) as Partial<T>
}
