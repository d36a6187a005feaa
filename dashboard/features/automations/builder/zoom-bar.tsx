import { Button, IconButton } from '../../../ui/controls.tsx'
import { MinusIcon, PlusIcon } from '../../../ui/icons.tsx'
import classes from './canvas.module.css'
import type { Zoom } from './use-zoom.ts'

/** How large the canvas is drawn; the keys do the same while it has the focus. */
export function ZoomBar({ zoom }: { zoom: Zoom }) {
  return (
    <div className={classes.zoomBar} role="toolbar" aria-label="Size of the canvas" aria-orientation="horizontal">
      <IconButton label="Smaller (-)" icon={MinusIcon} onClick={zoom.out} />
      <Button small kind="quiet" aria-label={`Own size (0), now ${percent(zoom)}`} onClick={zoom.reset}>
        {percent(zoom)}
      </Button>
      <IconButton label="Larger (+)" icon={PlusIcon} onClick={zoom.in} />
      <Button small kind="quiet" aria-label="Fit all of it (1)" onClick={zoom.fit}>
        Fit
      </Button>
    </div>
  )
}

const percent = ({ zoom }: Zoom) => `${Math.round(zoom * 100)} %`
