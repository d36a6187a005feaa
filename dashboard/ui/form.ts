import { type RefObject, useCallback, useRef, useState } from 'react'
import { isProblem, type SiteProblem } from '../lib/problem.ts'
import { sentence } from '../lib/sentence.ts'

/** Faults of a form: each stands at its field, by the pointer of the problem; the rest in one place. */
export type FormFaults = {
  /** For the field at `/email`: what is wrong with it. */
  at: (pointer: string) => string | undefined
  /** The problem as far as no field shows it. */
  rest: SiteProblem | undefined
  /** Takes what the server said; the first field at fault gets the focus. Anything else is thrown on. */
  take: (error: unknown) => void
  clear: () => void
  formRef: RefObject<HTMLFormElement | null>
}

/** `pointers` are those of the form's own fields. */
export function useFormFaults(pointers: readonly string[]): FormFaults {
  const [problem, setProblem] = useState<SiteProblem>()
  const formRef = useRef<HTMLFormElement>(null)
  const known = pointers.join(' ')
  const at = useCallback(
    (pointer: string) => {
      const fault = problem?.errors.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
      return fault && sentence(fault.detail)
    },
    [problem],
  )
  const isAtField = problem?.errors.some(({ pointer }) =>
    known.split(' ').some((one) => one !== '' && (pointer === one || pointer.startsWith(`${one}/`))),
  )
  return {
    at,
    rest: isAtField ? undefined : problem,
    take(error) {
      if (!isProblem(error)) throw error
      setProblem(error)
      requestAnimationFrame(() => formRef.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    },
    clear: () => setProblem(undefined),
    formRef,
  }
}
