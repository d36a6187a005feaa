import { type ReactNode, useEffect, useState } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import { type Layer, LayerContext } from './layer.ts'

const LeaveQuestion = lazyPart(() => import('./leave-question.tsx'))

export type LayerProps = { title: string; opened: boolean; onClose: () => void; children: ReactNode }

/** A layer that is taken away leaves the focus nowhere: it goes to what opened it, else to the head of the page. */
function goBack(opener: Element | null): void {
  if (document.activeElement !== document.body) return
  const place = opener?.isConnected && opener !== document.body ? opener : document.querySelector('main h1')
  ;(place as HTMLElement | null)?.focus({ preventScroll: true })
}

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
  const { opened } = props
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      if (opened) requestAnimationFrame(() => goBack(opener))
    }
  }, [opened])
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
