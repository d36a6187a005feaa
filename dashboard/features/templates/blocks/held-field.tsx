import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../../ui/text-field.tsx'

/**
 * A text that goes into the mail with each key, but for the moments in which it would break the rest of it. What is held is
 * given up when the mail's own text changes, as by undo.
 */
export function useHeld(value: string, fits: (text: string) => boolean, onChange: (text: string) => void) {
  const [held, setHeld] = useState<string>()
  const given = useRef(value)
  useEffect(() => {
    if (value === given.current) return
    given.current = value
    setHeld(undefined)
  }, [value])
  return {
    shown: held ?? value,
    isHeld: held !== undefined,
    change: (text: string) => {
      setHeld(fits(text) ? undefined : text)
      if (!fits(text)) return
      given.current = text
      onChange(text)
    },
  }
}

type Props = {
  label: string
  value: string
  placeholder?: string | undefined
  fits: (text: string) => boolean
  onChange: (text: string) => void
}

export function HeldField({ label, value, placeholder, fits, onChange }: Props) {
  const { shown, isHeld, change } = useHeld(value, fits, onChange)
  return (
    <TextField
      label={label}
      value={shown}
      placeholder={placeholder}
      error={isHeld && 'Not in the mail yet: something in it is still open.'}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
