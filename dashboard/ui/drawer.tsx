import { Drawer as KitDrawer } from '@mantine/core'
import { type LayerProps, useLayer } from './use-layer.tsx'

/** Something beside the page it belongs to. Its being open stands in the URL, so that Back closes it. It asks as a dialog does. */
export function Drawer({ wide = false, ...props }: LayerProps & { wide?: boolean }) {
  return <KitDrawer position="right" size={wide ? 720 : 480} {...useLayer(props)} />
}
