import type { FormEvent, ReactNode } from 'react'
import { useOneRun } from '../lib/use-one-run.ts'
import type { FormFaults } from './form.ts'
import { FormProblem } from './form-problem.tsx'
import { HalfWritten } from './half-written.tsx'
import { ConflictNotice } from './notice.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  label: string
  /** Of the problem that tells of it: `/email`. */
  pointer: string
  faults: FormFaults
  value: string
  onChange: (value: string) => void
  description?: string
  placeholder?: string
  type?: 'text' | 'email' | 'url' | 'tel' | 'number'
  required?: boolean
  maxLength?: number
  autoFocus?: boolean
}

/** A text of a form, with what the server says of it below. */
export function FormField({ pointer, faults, onChange, required, ...props }: Props) {
  return (
    <TextField
      {...props}
      data-autofocus={props.autoFocus || undefined}
      withAsterisk={false}
      required={required === true}
      error={faults.at(pointer)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** For a change of what somebody else may have changed meanwhile (412). */
type Conflict = {
  /** Of what it is a change: "this form". */
  what: string
  /** It is known before anything is sent. */
  isKnown?: boolean
  /** One's own is on its way: nothing is chosen until its answer is heard. */
  busy: boolean
  /** Puts what was typed in the place of what is there now. */
  onMine: () => unknown
  onTheirs: () => void
}

type FormProps = {
  faults: FormFaults
  conflict?: Conflict
  /** Sends it. Nothing is sent again before what it answers is over, such as the way to what was made. */
  onSubmit: () => unknown
  children: ReactNode
  actions: ReactNode
  /** Whether nothing is lost with it: what is typed is kept in this browser, or only confirms. */
  isKept?: boolean
}

/**
 * A form that is sent as a whole; faults without a field stand at its end, above its buttons. Whoever closes its dialog or
 * leaves the page with something typed is asked first.
 */
export function Form(props: FormProps) {
  if (props.isKept) return <PlainForm {...props} />
  return (
    <HalfWritten>
      <PlainForm {...props} />
    </HalfWritten>
  )
}

const BEHIND = 412

function PlainForm({ faults, conflict, onSubmit, children, actions }: FormProps) {
  const { rest } = faults
  const isBehind = conflict !== undefined && rest?.status === BEHIND
  const choose = (act: () => unknown) => () => {
    faults.clear()
    act()
  }
  const { once } = useOneRun(() => {
    faults.clear()
    return onSubmit()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void once()
  }
  return (
    <form ref={faults.formRef} className="form" onSubmit={submit} noValidate>
      {children}
      {conflict && (isBehind || conflict.isKnown) && (
        <ConflictNotice
          mine="Save mine over it"
          busy={conflict.busy}
          onMine={choose(conflict.onMine)}
          onTheirs={choose(conflict.onTheirs)}
        >
          Somebody else has changed {conflict.what} since you opened it. What you typed is still here.
        </ConflictNotice>
      )}
      {rest && !isBehind && <FormProblem problem={rest} />}
      <div className="form-actions">{actions}</div>
    </form>
  )
}
