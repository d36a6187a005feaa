import { type RefObject, useMemo, useRef, useState } from 'react'
import type { ElementMover } from '../../ui/mail-glass.tsx'

/** The block that is worked on, by where it begins, in the editor and in the preview beside it. */
export type ChosenBlock = {
  chosen: number | null
  choose: (begin: number | null) => void
  /** Hands the editor's own way of moving blocks to the preview. */
  editor: RefObject<ElementMover | undefined>
  mover: ElementMover
}

export function useChosenBlock(): ChosenBlock {
  const [chosen, choose] = useState<number | null>(null)
  const editor = useRef<ElementMover>(undefined)
  const mover = useMemo<ElementMover>(
    () => ({
      fits: (...of) => editor.current?.fits(...of),
      move: (...of) => editor.current?.move(...of),
    }),
    [],
  )
  return { chosen, choose, editor, mover }
}
