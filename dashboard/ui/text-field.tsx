import { TextInput, type TextInputProps } from '@mantine/core'
import type { Ref } from 'react'

/** One line of text. */
export function TextField(props: TextInputProps & { ref?: Ref<HTMLInputElement> }) {
  return <TextInput {...props} />
}
