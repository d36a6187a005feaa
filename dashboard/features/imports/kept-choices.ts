import { useState } from 'react'
import { keepDraft, keptDraft, restoredDraft } from '../../lib/kept-draft.ts'
import type { ContactImport } from '../../lib/site-types.ts'
import type { ColumnFormat } from './column-formats.ts'

export type Choices = {
  mapping: Record<string, string>
  formats: Record<string, ColumnFormat>
  mode: 'fill' | 'overwrite'
  tags: string
  topicIds: string[]
  consent: 'confirmed' | 'unconfirmed' | undefined
}

const nameOf = (importId: string) => `import ${importId}`

/** What was chosen for a file that waits: kept in this browser until it is imported or gone. */
export function useChoices(one: ContactImport): [Choices, (change: Partial<Choices>) => void] {
  const [first] = useState<Choices>(() => ({
    mapping: one.suggestedMapping as Record<string, string>,
    formats: {},
    mode: 'fill',
    tags: '',
    topicIds: [],
    consent: undefined,
  }))
  const [chosen, setChosen] = useState(
    () => restoredDraft(keptDraft(nameOf(one.id)), { value: first, etag: undefined }).change,
  )
  const choose = (change: Partial<Choices>) => {
    const next = { ...chosen, ...change }
    keepDraft(nameOf(one.id), { change: next })
    setChosen(next)
  }
  return [{ ...first, ...chosen }, choose]
}

export function forgetChoices(importId: string): void {
  keepDraft(nameOf(importId), { change: {} })
}
