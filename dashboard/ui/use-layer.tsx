import { type ReactNode, useState } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import { type Layer, LayerContext } from './layer.ts'
import { useFocusBack } from './passed-focus.ts'

const LeaveQuestion = lazyPart(() => import('./leave-question.tsx'))

export type LayerProps = { title: string; opened: boolean; onClose: () => void; children: ReactNode }

/** What stands in a layer, and in its place, while it is asked, the question: the forms wait unseen behind it. */
export function useLayer({ onClose, children, ...props }: LayerProps) {
  const [answer, setAnswer] = useState<(goes: boolean) => void>()
  const [layer] = useState<Layer>(() => ({
    forms: new Set(),
    ask: () =>
      new Promise((resolve) => {
        const field = document.activeElement as HTMLElement | null
        setAnswer(() => (goes: boolean) => {
          setAnswer(undefined)
          resolve(goes)
          if (!goes) requestAnimationFrame(() => field?.focus())
        })
      }),
  }))
  useFocusBack(props.opened)
  const close = async () => {
    if (answer) return answer(false)
    if (![...layer.forms].some((holds) => holds()) || (await layer.ask())) onClose()
  }
  const content = (
    <LayerContext value={layer}>
      <div hidden={answer !== undefined}>{children}</div>
      {answer && <LeaveQuestion onAnswer={answer} />}
    </LayerContext>
  )
  return { ...props, onClose: close, children: content }
}
