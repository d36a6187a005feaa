import { Drawer as KitDrawer, Modal } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; opened: boolean; onClose: () => void; children: ReactNode; wide?: boolean }

/** A question over the page, of at most five fields; more is a page. A dialog never stands on another. */
export function Dialog({ wide = false, ...props }: Props) {
  return <Modal size={wide ? 640 : 460} {...props} />
}

/** Something beside the page it belongs to. Its being open stands in the URL, so that Back closes it. */
export function Drawer({ wide = false, ...props }: Props) {
  return <KitDrawer position="right" size={wide ? 720 : 480} {...props} />
}
