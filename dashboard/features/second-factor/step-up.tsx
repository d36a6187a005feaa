import { useState } from 'react'
import { useSite } from '../../lib/use-site.ts'
import type { FormFaults } from '../../ui/form.ts'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { shownCode } from './shown-code.ts'

export const STEP_UP_POINTERS = ['/password', '/code', '/recoveryCode']

type StepUp = {
  asks: 'password' | 'code' | undefined
  typed: string
  type: (text: string) => void
  /** Fields for the body of the act. */
  shown: { password: string } | ReturnType<typeof shownCode> | Record<never, never>
  isMissing: boolean
}

/** What a person shows of themselves before an act that a stolen session must not do: a code where they have a second factor, else their password. */
export function useStepUp(isNeeded: boolean): StepUp {
  const factor = useSite('GET /site/auth/second-factor', {}, { enabled: isNeeded })
  const [typed, type] = useState('')
  const asks = !isNeeded || factor.isPending ? undefined : factor.data?.enabled ? 'code' : 'password'
  const shown = asks === 'code' ? shownCode(typed) : asks === 'password' ? { password: typed } : {}
  return { asks, typed, type, shown, isMissing: isNeeded && typed.trim() === '' }
}

type Props = { stepUp: StepUp; why: string; faults: FormFaults }

export function StepUpField({ stepUp: { asks, typed, type }, why, faults }: Props) {
  const error = STEP_UP_POINTERS.map((pointer) => faults.at(pointer)).find((fault) => fault !== undefined)
  if (asks === undefined) return null
  const Field = asks === 'code' ? TextField : PasswordField
  return (
    <Field
      label={asks === 'code' ? 'Code of your app, or a recovery code' : 'Your password'}
      description={why}
      autoComplete={asks === 'code' ? 'one-time-code' : 'current-password'}
      value={typed}
      error={error}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
