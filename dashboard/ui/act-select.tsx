import type { KeyboardEvent } from 'react'
import { Select } from './controls.tsx'

type Props = {
  label: string
  hideLabel?: boolean
  /** Words that stand there while nothing is chosen. */
  asks: string
  options: readonly { value: string; label: string }[]
  onTake: (value: string) => void
  id?: string
  error?: string | undefined | false
}

/** A select that does something with what is chosen, at once, and is as before then. */
export function ActSelect({ asks, options, onTake, error, ...props }: Props) {
  return (
    <Select
      {...props}
      value=""
      error={error}
      options={[{ value: '', label: asks }, ...options]}
      onKeyDown={openList}
      onChange={({ currentTarget }) => currentTarget.value !== '' && onTake(currentTarget.value)}
    />
  )
}

/** Any key that would choose while the list is closed, other than on a Mac: whoever only looks would have the first thing done, and the next. */
const CHOOSES = /^(Arrow(Up|Down)|Page(Up|Down)|Home|End|\S)$/u

/** The list opens in its place, and Enter chooses in it. */
function openList(event: KeyboardEvent<HTMLSelectElement>): void {
  const { key, altKey, ctrlKey, metaKey, currentTarget } = event
  if (altKey || ctrlKey || metaKey || !CHOOSES.test(key) || !('showPicker' in currentTarget)) return
  event.preventDefault()
  currentTarget.showPicker()
}
