import { useEffect, useRef, useState } from 'react'
import { isProblem, type SiteProblem } from '../lib/problem.ts'
import { createSignal, useSignal } from '../lib/signal.ts'
import { Button, IconButton } from './controls.tsx'
import { AlertTriangleIcon, CircleCheckIcon, XIcon } from './icons.tsx'
import classes from './toasts.module.css'

type Toast = {
  id: number
  text: string
  problem?: SiteProblem
  undo?: () => void
  /** Runs when it goes without having been undone. */
  settle?: () => void
  stayMs?: number
}

const toasts = createSignal<readonly Toast[]>([])
const STAY_MS = 4_000
const UNDO_MS = 10_000
let nextId = 1

function add(toast: Omit<Toast, 'id'>): number {
  const id = nextId
  nextId += 1
  toasts.set([...toasts.get(), { ...toast, id }])
  return id
}

function remove(id: number): Toast | undefined {
  const found = toasts.get().find((toast) => toast.id === id)
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
  return found
}

/** Says that something was done that cannot be seen on the page. */
export function say(text: string): void {
  add({ text, stayMs: STAY_MS })
}

/** Says what has to be read before the next step: it stays until it is closed. */
export function sayToStay(text: string): void {
  add({ text })
}

/** A fault of an act that has no form of its own; it stays until it is closed. */
export function sayProblem(error: unknown): void {
  if (!isProblem(error)) throw error
  add({ text: error.title, problem: error })
}

/**
 * Does something in ten seconds, unless it is undone before; leaving the page does it at once. `undo` puts the page back. The answer
 * undoes it, as the button does.
 */
export function doUnlessUndone(
  text: string,
  { act, undo }: { act: () => Promise<unknown>; undo: () => void },
): () => void {
  const settle = () => {
    act().catch((error: unknown) => {
      undo()
      sayProblem(error)
    })
  }
  const id = add({ text, undo, settle, stayMs: UNDO_MS })
  return () => takeBack(id)
}

function takeBack(id: number): void {
  remove(id)?.undo?.()
}

/** Undoes the last act that can be undone still. */
export function undoLast(): void {
  const last = toasts.get().findLast(({ undo }) => undo !== undefined)
  if (last) takeBack(last.id)
}

export function Toasts() {
  const shown = useSignal(toasts)
  useEffect(() => {
    const settleAll = () => {
      for (const { id } of toasts.get()) remove(id)?.settle?.()
    }
    addEventListener('pagehide', settleAll)
    return () => removeEventListener('pagehide', settleAll)
  }, [])
  return (
    <section className={classes.stack} aria-label="Messages" aria-live="polite">
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, text, problem, undo, stayMs } = toast
  const [isHeld, setHeld] = useState(false)
  const leftMs = useRef(stayMs)
  useEffect(() => {
    if (leftMs.current === undefined || isHeld) return
    const startedMs = performance.now()
    const timer = setTimeout(() => remove(id)?.settle?.(), leftMs.current)
    return () => {
      clearTimeout(timer)
      leftMs.current = Math.max(0, (leftMs.current ?? 0) - (performance.now() - startedMs))
    }
  }, [id, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: reading it keeps it, by pointer and by focus alike
    <div
      className={classes.toast}
      data-bad={problem !== undefined || undefined}
      role={problem ? 'alert' : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {problem ? <AlertTriangleIcon size={16} /> : <CircleCheckIcon size={16} />}
      <div className={classes.words}>
        {text}
        {problem?.detail !== undefined && <p>{problem.detail}</p>}
        {problem?.requestId !== undefined && <p className="mono">{problem.requestId}</p>}
      </div>
      {undo && (
        <Button small aria-keyshortcuts="z" onClick={() => takeBack(id)}>
          Undo
        </Button>
      )}
      <IconButton label="Close" icon={XIcon} tooltip={false} onClick={() => remove(id)?.settle?.()} />
    </div>
  )
}
