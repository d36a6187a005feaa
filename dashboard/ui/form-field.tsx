import type { FormEvent, ReactNode } from 'react'
import type { SiteProblem } from '../lib/problem.ts'
import { Copyable } from './copyable.tsx'
import type { FormFaults } from './form.ts'
import { AlertTriangleIcon } from './icons.tsx'
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

/** A form that is sent as a whole; faults without a field stand at its end, above its buttons. */
export function Form({
  faults,
  onSubmit,
  children,
  actions,
}: {
  faults: FormFaults
  onSubmit: () => unknown
  children: ReactNode
  actions: ReactNode
}) {
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

export function FormProblem({ problem }: { problem: SiteProblem }) {
  return (
    <div className="form-problem" role="alert">
      <AlertTriangleIcon size={16} />
      <div>
        <strong>{problem.title}.</strong> {problem.detail !== problem.title && problem.detail}
        {problem.requestId !== undefined && (
          <div className="form-problem-request">
            Request <Copyable text={problem.requestId} />
          </div>
        )}
      </div>
    </div>
  )
}
