import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import type { Ref } from 'react'

export function PasswordField(props: PasswordInputProps & { ref?: Ref<HTMLInputElement> }) {
  return <PasswordInput aria-invalid={props.error ? true : undefined} {...props} />
}
