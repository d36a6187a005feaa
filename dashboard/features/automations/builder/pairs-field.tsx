import { useState } from 'react'
import { Button, IconButton } from '../../../ui/controls.tsx'
import { PlusIcon, TrashIcon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { text } from '../flow-node.ts'
import classes from './builder.module.css'

type Pair = readonly [name: string, value: unknown]
type Props = {
  value: Readonly<Record<string, unknown>>
  /** Undefined when there is none any more. */
  onChange: (next: Record<string, unknown> | undefined) => void
  nameLabel: string
  namePlaceholder?: string
  valueLabel: string
  removeLabel: (name: string) => string
  addLabel: string
  max?: number
  /** Whether a value that is the name goes on being it while the name is typed. */
  follows?: boolean
}

/**
 * Names with a value each. Lines are kept as they are typed: two names may be the same on the way to another, and nothing is
 * written until each is there once.
 */
export function PairsField({ value, onChange, max = Number.POSITIVE_INFINITY, follows = false, ...words }: Props) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => Object.entries(value))
  const [written, setWritten] = useState(() => JSON.stringify(value))
  const given = JSON.stringify(value)
  // Somebody else has changed it, as an undo does.
  if (given !== written) {
    setWritten(given)
    setPairs(Object.entries(value))
  }
  const put = (next: readonly Pair[]) => {
    setPairs(next)
    if (new Set(next.map(([name]) => name)).size < next.length) return
    const whole = Object.fromEntries(next)
    setWritten(JSON.stringify(whole))
    onChange(next.length === 0 ? undefined : whole)
  }
  const replace = (at: number, pair: Pair) => put(pairs.map((one, index) => (index === at ? pair : one)))
  return (
    <>
      {pairs.map(([name, other], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name is what is typed
        <div key={at} className={classes.line}>
          <TextField
            label={words.nameLabel}
            placeholder={words.namePlaceholder}
            value={name}
            error={pairs.findIndex(([one]) => one === name) < at ? 'Is there already.' : undefined}
            onChange={({ currentTarget }) =>
              replace(at, [currentTarget.value, follows && other === name ? currentTarget.value : other])
            }
          />
          <TextField
            label={words.valueLabel}
            value={text(other)}
            onChange={({ currentTarget }) => replace(at, [name, currentTarget.value])}
          />
          <IconButton
            label={words.removeLabel(name)}
            icon={TrashIcon}
            onClick={() => put(pairs.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {pairs.length < max && !pairs.some(([name]) => name === '') && (
        <div>
          <Button small kind="quiet" icon={PlusIcon} onClick={() => put([...pairs, ['', '']])}>
            {words.addLabel}
          </Button>
        </div>
      )}
    </>
  )
}
