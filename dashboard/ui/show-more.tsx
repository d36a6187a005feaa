import { Button } from './controls.tsx'
import classes from './show-more.module.css'

/** The way on in a list by cursor. */
export type More = { busy: boolean; show: () => unknown }

/** The end of a list by cursor: the way on while there is one. */
export function ShowMore({ more, label = 'Show older' }: { more: More | undefined; label?: string }) {
  if (more === undefined) return null
  return (
    <div className={classes.foot}>
      <Button busy={more.busy} onClick={() => more.show()}>
        {label}
      </Button>
    </div>
  )
}
