import { TagsInput } from '@mantine/core'

type Props = {
  label: string
  description?: string
  placeholder?: string
  value: readonly string[]
  onChange: (names: string[]) => void
  /** Known names, to choose from; others may be typed. */
  known: readonly string[]
  error?: string | undefined
}

/** Several names, chosen or typed: Enter and a comma take one in. */
export function NamesField({ value, known, onChange, ...props }: Props) {
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
