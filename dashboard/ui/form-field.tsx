import type { FormEvent, ReactNode } from 'react'
import type { FormFaults } from './form.ts'
import { FormProblem } from './form-problem.tsx'
import { HalfWritten } from './half-written.tsx'
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

type FormProps = {
  faults: FormFaults
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

function PlainForm({ faults, onSubmit, children, actions }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    faults.clear()
    onSubmit()
  }
  return (
    <form ref={faults.formRef} className="form" onSubmit={submit} noValidate>
      {children}
      {faults.rest && <FormProblem problem={faults.rest} />}
      <div className="form-actions">{actions}</div>
    </form>
  )
}
