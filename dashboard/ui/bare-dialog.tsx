import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'

/** A layer without a head of its own, near the top of the page. */
export function BareDialog({
  label,
  onClose,
  children,
  returnFocus = true,
}: {
  label: string
  onClose: () => void
  children: ReactNode
  /** False where whoever opens it knows better where one goes on. */
  returnFocus?: boolean
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      padding={0}
      size={600}
      returnFocus={returnFocus}
      aria-label={label}
    >
      {children}
    </Modal>
  )
}
