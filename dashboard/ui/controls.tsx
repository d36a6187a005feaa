import { ActionIcon, Button as KitButton, type ButtonProps as KitButtonProps, Tooltip } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { type ButtonHTMLAttributes, type ComponentProps, type ReactNode, type Ref, useId } from 'react'
import type { Icon } from './icons.tsx'
import { useKeptFocus } from './use-kept-focus.ts'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'color' | 'style'> & {
  /** `primary`: the one act of the page; `danger`: it destroys; `quiet`: beside others. */
  kind?: 'primary' | 'default' | 'quiet' | 'danger'
  icon?: Icon
  small?: boolean
  busy?: boolean
  fullWidth?: boolean
  ref?: Ref<HTMLButtonElement>
}

const LOOKS = { primary: 'filled', default: 'default', quiet: 'subtle', danger: 'filled' } as const

export function Button({ kind = 'default', icon: Mark, small, busy = false, ref, children, ...props }: ButtonProps) {
  const kept = useMergedRef(useKeptFocus(busy), ref)
  const look: Partial<KitButtonProps> = { variant: LOOKS[kind], size: small ? 'xs' : 'sm', loading: busy }
  return (
    <KitButton
      type="button"
      {...look}
      {...(Mark ? { leftSection: <Mark size={15} /> } : {})}
      {...props}
      ref={kept}
      data-kind={kind}
      className="button"
    >
      {children}
    </KitButton>
  )
}

/**
 * A button that shows a sign alone; its name is said on hover and to readers. While it is `disabled` it does nothing, and keeps the
 * focus of whoever came to an end by it: the browser takes it from a button that it knows to be disabled.
 */
export function IconButton({
  label,
  icon: Mark,
  tooltip = true,
  disabled: isOff = false,
  onClick,
  ...props
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'color' | 'style'> & {
  label: string
  icon: Icon
  tooltip?: boolean
  ref?: Ref<HTMLButtonElement>
}) {
  const button = (
    <ActionIcon
      type="button"
      variant="subtle"
      size={30}
      aria-label={label}
      {...props}
      aria-disabled={isOff || undefined}
      data-disabled={isOff || undefined}
      onClick={isOff ? undefined : onClick}
      className="icon-button"
    >
      <Mark size={16} />
    </ActionIcon>
  )
  return tooltip ? <Tooltip label={label}>{button}</Tooltip> : button
}

/** The browser's own box with its words. */
export function Checkbox({
  label,
  indeterminate = false,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'style' | 'className'> & { label?: ReactNode; indeterminate?: boolean }) {
  const id = useId()
  return (
    <span className="checkbox">
      <input
        id={id}
        type="checkbox"
        {...props}
        ref={(box) => {
          if (box) box.indeterminate = indeterminate
        }}
      />
      {label !== undefined && <label htmlFor={id}>{label}</label>}
    </span>
  )
}

/** The browser's own select: right on every phone, for every reader and by every key. */
export function Select({
  label,
  hideLabel = false,
  description,
  error,
  options,
  id,
  ...props
}: Omit<ComponentProps<'select'>, 'style' | 'className'> & {
  label: string
  hideLabel?: boolean
  description?: ReactNode
  error?: ReactNode
  options: readonly { value: string; label: string; disabled?: boolean }[]
}) {
  // Several of one label stand on a page: each is named by its own.
  const own = useId()
  const name = id ?? own
  const hasError = error !== undefined && error !== null && error !== false
  const told = [description !== undefined && `${name}-words`, hasError && `${name}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={name} className={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {description !== undefined && (
        <p id={`${name}-words`} className="field-description">
          {description}
        </p>
      )}
      <select
        id={name}
        {...props}
        className="select"
        aria-invalid={hasError || undefined}
        aria-describedby={told || undefined}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      {hasError && (
        <p id={`${name}-fault`} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}
