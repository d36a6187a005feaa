import { useState } from 'react'
import { SLUG } from '../../lib/workspace-here.ts'

export type SegmentDraft = { name: string; definition: string }

/** What was typed and not saved yet: kept on this machine, so that neither a reload nor a lost session takes it. */
export function useKeptDraft(
  id: string,
  saved: SegmentDraft,
): [SegmentDraft, (draft: SegmentDraft) => void, () => void] {
  const key = `postroom-segment-${SLUG}-${id}`
  const [draft, setDraft] = useState<SegmentDraft | undefined>(() => read(key))
  const change = (next: SegmentDraft) => {
    const isSaved = next.name === saved.name && next.definition === saved.definition
    setDraft(isSaved ? undefined : next)
    if (isSaved) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(next))
  }
  const forget = () => {
    setDraft(undefined)
    localStorage.removeItem(key)
  }
  return [draft ?? saved, change, forget]
}

function read(key: string): SegmentDraft | undefined {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    const { name, definition } = (draft ?? {}) as Record<string, unknown>
    return typeof name === 'string' && typeof definition === 'string' ? { name, definition } : undefined
  } catch {
    return undefined
  }
}
