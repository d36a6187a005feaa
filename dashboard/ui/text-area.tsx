import { Textarea, type TextareaProps } from '@mantine/core'
import type { Ref } from 'react'

export function TextArea(props: TextareaProps & { ref?: Ref<HTMLTextAreaElement> }) {
  return <Textarea autosize minRows={3} maxRows={12} {...props} />
}
