import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'

/** A layer without a head of its own, near the top of the page. */
export function BareDialog({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      padding={0}
      size={600}
      aria-label={label}
    >
      {children}
    </Modal>
  )
}
