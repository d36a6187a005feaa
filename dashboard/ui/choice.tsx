import { type ReactNode, useId } from 'react'
import classes from './choice.module.css'

export type Choice<Value extends string> = {
  value: Value
  label: string
  description?: ReactNode
  disabled?: string | undefined
}

/** One of a few, all of them seen, each with a line on what it means. One that cannot be chosen says why. */
export function ChoiceField<Value extends string>({
  label,
  hideLabel = false,
  value,
  onChange,
  choices,
}: {
  label: string
  hideLabel?: boolean
  /** None, where nothing is chosen before. */
  value: Value | undefined
  onChange: (value: Value) => void
  choices: readonly Choice<Value>[]
}) {
  const name = useId()
  return (
    <fieldset className={classes.field}>
      <legend className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</legend>
      <div className={classes.choices}>
        {choices.map((choice) => (
          <label key={choice.value} className={classes.choice} data-chosen={choice.value === value || undefined}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              disabled={choice.disabled !== undefined}
              onChange={() => onChange(choice.value)}
            />
            <span>
              <span className={classes.name}>{choice.label}</span>
              {(choice.disabled ?? choice.description) !== undefined && (
                <span className={classes.words}>{choice.disabled ?? choice.description}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
