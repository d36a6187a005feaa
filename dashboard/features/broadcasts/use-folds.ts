import { useState } from 'react'
import { useIsNarrow } from '../../ui/use-is-narrow.ts'
import type { SectionName } from './compose-section.tsx'

/** Whether a part of a draft shows more than its line. */
export type Fold = { isOpen: boolean; change: (isOpen: boolean) => void }

/** On a phone the parts of a draft are lines to open, so that what comes after them is never far; undefined where there is room. */
export function useFolds(first: SectionName | undefined) {
  const isNarrow = useIsNarrow()
  const [opened, setOpened] = useState<readonly SectionName[]>(first ? [first] : [])
  const change = (title: SectionName, isOpen: boolean) =>
    setOpened((before) => [...before.filter((one) => one !== title), ...(isOpen ? [title] : [])])
  const foldOf = (title: SectionName): Fold | undefined =>
    isNarrow ? { isOpen: opened.includes(title), change: (isOpen) => change(title, isOpen) } : undefined
  return { isNarrow, foldOf, open: (title: SectionName) => change(title, true) }
}
