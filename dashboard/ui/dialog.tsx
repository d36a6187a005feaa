import { Modal } from '@mantine/core'
import { type LayerProps, useLayer } from './use-layer.tsx'

type Props = LayerProps & {
  wide?: boolean
  /** Whether nobody can see again what stands in it: then neither Escape nor a click beside it closes it. */
  isShownOnce?: boolean
}

/**
 * A question over the page, of at most five fields; more is a page. A dialog never stands on another. What is typed in its forms
 * and not sent is asked about before Escape, a click beside it, Back or a link takes it away.
 */
export function Dialog({ wide = false, isShownOnce = false, ...props }: Props) {
  return (
    <Modal
      size={wide ? 640 : 460}
      closeOnEscape={!isShownOnce}
      closeOnClickOutside={!isShownOnce}
      {...useLayer(props)}
    />
  )
}
