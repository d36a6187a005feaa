import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useContext, useEffect, useState } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import { LayerContext } from './layer.ts'

const LeavePage = lazyPart(() => import('./leave-page.tsx'))

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
type Answer = (goes: boolean) => void

const CONTROLS = 'input, textarea, select'
/** Words that only prove something, and those of a search, are no work that could be lost. */
const NO_WORK = '[type=password], [type=search], [type=file], [autocomplete="one-time-code"]'
const FAULT = '[aria-invalid=true], [role=alert]'

/**
 * Fields that are asked about before they take what was typed with them: in their layer when that is closed, and over the page
 * when Back or a link leads away; before the tab goes the browser asks. Not while `isKept`, when nothing would be lost.
 */
export function HalfWritten({ isKept = false, children }: { isKept?: boolean; children: ReactNode }) {
  const layer = useContext(LayerContext)
  const [form] = useState(watchForm)
  const [answer, setAnswer] = useState<Answer>()
  const history = useRouter().history
  useEffect(() => {
    if (isKept) return
    const { holds, isUnsent, giveUp } = form
    const askHere = () =>
      new Promise<boolean>((resolve) =>
        setAnswer(() => (goes: boolean) => {
          setAnswer(undefined)
          resolve(goes)
        }),
      )
    const mayGo = async () => {
      const goes = await (layer?.ask ?? askHere)()
      if (goes) giveUp()
      return goes
    }
    layer?.forms.add(holds)
    const unblock = history.block({
      enableBeforeUnload: isUnsent,
      blockerFn: async () => isUnsent() && !(await mayGo()),
    })
    return () => {
      layer?.forms.delete(holds)
      unblock()
    }
  }, [layer, form, history, isKept])
  return (
    <>
      <div {...form.listeners}>{children}</div>
      {answer && <LeavePage onAnswer={answer} />}
    </>
  )
}

/**
 * How the fields of a form stand against how they were found when somebody first came to it, or to what was last sent and
 * taken.
 */
function watchForm() {
  let found = new Map<Control, string>()
  let sent: Map<Control, string> | undefined
  let wasTyped = false
  const here = () => [...found].filter(([control]) => control.isConnected)
  const isRefused = () => here().some(([control]) => control.form?.querySelector(FAULT))
  const holds = () => wasTyped && here().some(([control, before]) => stateOf(control) !== before)
  const look = ({ currentTarget }: { currentTarget: Element }) => {
    for (const control of currentTarget.querySelectorAll<Control>(CONTROLS))
      if (!control.matches(NO_WORK) && !found.has(control)) found.set(control, stateOf(control))
  }
  return {
    /** Whether something was typed or chosen that stands nowhere else. */
    holds,
    /** As `holds`, but for what was sent and not refused: the page goes on by itself then. */
    isUnsent: () => holds() && (sent === undefined || isRefused()),
    giveUp() {
      found = new Map()
      sent = undefined
      wasTyped = false
    },
    listeners: {
      onFocusCapture: look,
      onPointerDownCapture: look,
      onInputCapture() {
        if (sent !== undefined && !isRefused()) found = sent
        sent = undefined
        wasTyped = true
      },
      onSubmitCapture() {
        sent = new Map(here().map(([control]) => [control, stateOf(control)]))
      },
    },
  }
}

function stateOf(control: Control): string {
  return control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)
    ? String(control.checked)
    : control.value
}
