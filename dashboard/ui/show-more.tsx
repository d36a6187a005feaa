import { Button } from './controls.tsx'
import classes from './show-more.module.css'

/** The end of a list by cursor: the way on while there is one. */
export function ShowMore({
  more,
  label = 'Show older',
}: {
  more: { busy: boolean; show: () => unknown } | undefined
  label?: string
}) {
  if (more === undefined) return null
  return (
    <div className={classes.foot}>
      <Button busy={more.busy} onClick={() => more.show()}>
        {label}
      </Button>
    </div>
  )
}
