import { useRef, useState } from 'react'
import { ofPersonHere } from '../../lib/person-here.ts'
import { SLUG } from '../../lib/workspace-here.ts'

export type SegmentDraft = { name: string; definition: string }
/** What is saved, and its entity tag; a segment that is not made yet has none. */
type Saved = SegmentDraft & { etag?: string | undefined }

type KeptDraft = {
  draft: SegmentDraft
  /** The tag of what the draft was begun from: another one than that of `saved` where somebody else has saved since. */
  base: string | undefined
  change: (draft: SegmentDraft) => void
  forget: () => void
  /** Says that a draft was saved and what its tag is now: what was typed meanwhile is a draft of that. */
  took: (sent: SegmentDraft, etag: string | undefined) => void
}

/** What was typed and not saved yet, and what it was begun from: kept on this machine, so that neither a reload nor a lost session takes it. */
export function useKeptDraft(id: string, saved: Saved): KeptDraft {
  const key = ofPersonHere(`segment ${SLUG} ${id}`)
  const [kept, setKept] = useState<Saved | undefined>(() => read(key))
  const latest = useRef(kept)
  const keep = (next: Saved | undefined) => {
    latest.current = next
    setKept(next)
    if (next === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(next))
  }
  return {
    draft: kept ?? saved,
    base: baseOf(kept, saved),
    change: ({ name, definition }) => {
      const next = { name, definition, etag: baseOf(latest.current, saved) }
      keep(isSame(next, saved) ? undefined : next)
    },
    forget: () => keep(undefined),
    took: (sent, etag) => {
      const now = latest.current
      keep(now === undefined || isSame(now, sent) ? undefined : { ...now, etag })
    },
  }
}

export const isSame = (one: Partial<SegmentDraft>, other: SegmentDraft) =>
  one.name === other.name && one.definition === other.definition

/** One that has been saved unheard is no draft any more. */
const baseOf = (kept: Saved | undefined, saved: Saved) =>
  (kept === undefined || isSame(kept, saved) ? saved : kept).etag

function read(key: string): Saved | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    const { name, definition, etag } = (kept ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || typeof definition !== 'string') return undefined
    return { name, definition, etag: typeof etag === 'string' ? etag : undefined }
  } catch {
    return undefined
  }
}
