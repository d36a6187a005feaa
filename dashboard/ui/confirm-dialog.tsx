import { type ReactNode, useRef, useState } from 'react'
import { numberText } from '../lib/format.ts'
import { isProblem, type SiteProblem } from '../lib/problem.ts'
import { Button } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { FormProblem } from './form-problem.tsx'
import { TextField } from './text-field.tsx'
import { sayProblem } from './toasts.tsx'

type Props = {
  title: string
  opened: boolean
  onClose: () => void
  /** Says how many it is about, and what follows. */
  children: ReactNode
  /** Word on the button: the verb, with the number it acts on. */
  action: string
  /** Word on the button that leaves all as it is, where the act itself is one of canceling. */
  keep?: string
  danger?: boolean
  /** Has to be typed, for what cannot be undone or is about more than a thousand people. */
  typed?: string | number
  /** Whether what has to be chosen is chosen. */
  isReady?: boolean
  onConfirm: () => Promise<unknown>
  /** Tells a refusal that says more than its words. */
  Refusal?: typeof FormProblem
}

/** A number counts as typed with what stands between its digits, and without: `10,004`, `10.004`, `10004`. */
export function isTyped(text: string, typed: string | number): boolean {
  return typeof typed === 'number' ? text.replaceAll(/[\s,.]/g, '') === String(typed) : text.trim() === typed
}

/**
 * Asks before something that cannot be taken back. It stays open, and says why, when the server refuses; whoever has closed it by then is
 * told on the page.
 */
export function ConfirmDialog({ title, opened, onClose, children, action, danger = false, typed, ...rest }: Props) {
  const { isReady: isChosen = true, keep = 'Cancel', onConfirm, Refusal = FormProblem } = rest
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<SiteProblem>()
  const wasLeft = useRef(false)
  const close = () => {
    wasLeft.current = true
    setText('')
    setProblem(undefined)
    onClose()
  }
  const confirm = async () => {
    wasLeft.current = false
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
      close()
    } catch (error) {
      if (wasLeft.current) return sayProblem(error)
      if (!isProblem(error)) throw error
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const isReady = isChosen && (typed === undefined || isTyped(text, typed))
  return (
    <Dialog title={title} opened={opened} onClose={close}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !busy) confirm()
        }}
      >
        <div className="words">{children}</div>
        {typed !== undefined && (
          <TextField
            label={
              <>
                Type <code>{typeof typed === 'number' ? numberText(typed) : typed}</code> to go on
              </>
            }
            value={text}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {problem && <Refusal problem={problem} />}
        <div className="form-actions">
          <Button onClick={close}>{keep}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={!isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
