import { Modal } from '@mantine/core'
import { useFocusBack } from './passed-focus.ts'
import type { LayerProps } from './use-layer.tsx'

/** A dialog that no slip closes: Escape and a click beside it do nothing. It needs no router. */
export function StayingDialog(props: LayerProps) {
  useFocusBack(props.opened)
  return <Modal size={460} closeOnEscape={false} closeOnClickOutside={false} {...props} />
}
