import { Switch as KitSwitch, type SwitchProps } from '@mantine/core'
import type { Ref } from 'react'

export function Switch(props: SwitchProps & { ref?: Ref<HTMLInputElement> }) {
  return <KitSwitch size="sm" {...props} />
}
