import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isProblem } from '../../lib/problem.ts'
import { sentence } from '../../lib/sentence.ts'
import { isFocusFree } from '../../ui/passed-focus.ts'
import classes from './contacts.module.css'

type Props<T> = {
  label: string
  /** Of the problem that tells of this value. */
  pointer: string
  /** As it is written. */
  value: string
  /** As it is told, where that is something else. */
  shown?: string
  readOnly: boolean
  /** Makes of the text what is saved, or says what is wrong with it. */
  read: (text: string) => { value: T } | { fault: string }
  onSave: (value: T) => Promise<void>
}

/**
 * A value that is changed where it stands: Enter and leaving it save, Escape takes it back. A text that does not fit, or that the
 * server refuses, stays in the field, with the reason.
 */
export function InlineText<T>({ label, pointer, value, shown = value, readOnly, read, onSave }: Props<T>) {
  const [draft, setDraft] = useState<string>()
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = draft !== undefined
  const wasOpen = useRef(false)
  useEffect(() => {
    if (isOpen) field.current?.focus()
    else if (wasOpen.current && isFocusFree()) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])

  // Left by a link or Back it is saved, as the field loses the focus; a tab that goes takes it along.
  const isWritten = isOpen && draft.trim() !== value
  useEffect(() => {
    if (!isWritten) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isWritten])

  const close = () => {
    setDraft(undefined)
    setFault(undefined)
  }
  const save = async () => {
    const text = draft?.trim() ?? ''
    if (busy) return
    if (text === value) return close()
    const taken = read(text)
    if ('fault' in taken) return setFault(taken.fault)
    setBusy(true)
    try {
      await onSave(taken.value)
      close()
    } catch (error) {
      if (!isProblem(error)) throw error
      setFault(faultText(error, pointer))
    } finally {
      setBusy(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') save()
    if (event.key === 'Escape') close()
  }

  if (readOnly) return <span className={value === '' ? 'soft' : undefined}>{shown || '–'}</span>
  if (draft === undefined) {
    return (
      <button
        ref={button}
        type="button"
        className={classes.value}
        data-empty={value === '' || undefined}
        onClick={() => setDraft(value)}
      >
        {shown || 'Add'}
        <span className="visually-hidden">, {label}, change</span>
      </button>
    )
  }
  return (
    <div className={classes.edit}>
      <input
        ref={field}
        aria-label={label}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : `fault-${pointer.slice(1)}`}
        value={draft}
        readOnly={busy}
        onChange={(event) => {
          setDraft(event.currentTarget.value)
          setFault(undefined)
        }}
        onBlur={() => fault === undefined && save()}
        onKeyDown={onKeyDown}
      />
      {fault !== undefined && (
        <p id={`fault-${pointer.slice(1)}`} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

function faultText(error: unknown, pointer: string): string {
  if (!isProblem(error)) return ''
  if (error.status === 412)
    return 'Somebody else has changed this contact since. The page shows theirs; Enter saves yours over it.'
  const own = error.errors.find((one) => one.pointer === pointer) ?? error.errors[0]
  return sentence(own?.detail ?? error.detail ?? error.title)
}
