import { TagsInput } from '@mantine/core'

export type NamesProps = {
  label: string
  description?: string
  placeholder?: string
  value: readonly string[]
  onChange: (names: string[]) => void
  /** Known names, to choose from; others may be typed. */
  known: readonly string[]
  error?: string | undefined
}

export default function NamesInput({ value, known, onChange, ...props }: NamesProps) {
  return (
    <TagsInput
      {...props}
      value={[...value]}
      data={[...known]}
      maxDropdownHeight={220}
      acceptValueOnBlur
      clearable={false}
      onChange={onChange}
      comboboxProps={{ shadow: 'md', radius: 'md' }}
    />
  )
}
