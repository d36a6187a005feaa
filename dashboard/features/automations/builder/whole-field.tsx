import { useState } from 'react'
import { TextField } from '../../../ui/text-field.tsx'

type Props = {
  label: string
  /** As it is kept. */
  value: string
  min?: number
  max?: number
  fault?: string | undefined
  onChange: (count: number) => void
}

/** A whole number. What is none, or is below `min`, is told at the field and goes nowhere: the number before it stays. */
export function WholeField({ value, min = 1, fault, onChange, ...field }: Props) {
  // What is typed is over once another number is kept, as by Undo.
  const [typed, setTyped] = useState({ text: value, over: value })
  const text = typed.over === value ? typed.text : value
  const isWhole = (one: string) => /^\d+$/.test(one) && +one >= min
  return (
    <TextField
      {...field}
      type="number"
      min={min}
      value={text}
      error={isWhole(text) ? fault : `Must be a whole number from ${min} on.`}
      onChange={({ currentTarget: { value: next } }) => {
        setTyped({ text: next, over: isWhole(next) ? `${+next}` : value })
        if (isWhole(next)) onChange(+next)
      }}
    />
  )
}
