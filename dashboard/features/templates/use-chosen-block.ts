import { type RefObject, useMemo, useRef, useState } from 'react'
import type { ElementMover } from '../../ui/mail-glass.tsx'

/** The block that is worked on, by where it begins, in the editor and in the preview beside it. */
export type ChosenBlock = {
  chosen: number | null
  choose: (begin: number | null) => void
  /** Hands what the editor can do with its blocks to what is beside it. */
  editor: RefObject<(ElementMover & ShowsLines) | undefined>
  mover: ElementMover
}
/** Chooses the block that a line of the mail is about, or goes to the line where the code is shown. */
type ShowsLines = { showLine: (line: number) => void }

export function useChosenBlock(): ChosenBlock {
  const [chosen, choose] = useState<number | null>(null)
  const editor = useRef<ElementMover & ShowsLines>(undefined)
  const mover = useMemo<ElementMover>(
    () => ({
      fits: (...of) => editor.current?.fits(...of),
      move: (...of) => editor.current?.move(...of),
    }),
    [],
  )
  return { chosen, choose, editor, mover }
}
