import { type RefObject, useEffect, useState } from 'react'
import { ArrowDownIcon, ArrowLeftIcon, ArrowRightIcon, ArrowUpIcon } from '../../../ui/icons.tsx'
import classes from './edge-hints.module.css'

type Part = RefObject<HTMLElement | null>
type Side = keyof typeof ICONS
type Counts = Readonly<Record<Side, number>>

const ICONS = { left: ArrowLeftIcon, right: ArrowRightIcon, top: ArrowUpIcon, bottom: ArrowDownIcon }
const WAYS = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] } as const
const SIDES = Object.keys(ICONS) as Side[]
const NONE: Counts = { left: 0, right: 0, top: 0, bottom: 0 }

/** At each edge of the pane, for one size of the tree, how many cards lie beyond it, and a pointer's way there; keys and readers have the outline. */
export function EdgeHints({ pane, tree }: { pane: Part; tree: Part }) {
  const [counts, setCounts] = useState(NONE)
  useEffect(() => {
    const [seen, drawn] = [pane.current, tree.current]
    if (!seen || !drawn) return
    const look = () => {
      const found = beyond(seen)
      setCounts((now) => (SIDES.every((side) => now[side] === found[side]) ? now : found))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(seen)
    sizes.observe(drawn)
    seen.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      seen.removeEventListener('scroll', look)
    }
  }, [pane, tree])
  return SIDES.filter((side) => counts[side] > 0).map((side) => {
    const Arrow = ICONS[side]
    return (
      <button
        key={side}
        type="button"
        className={classes.hint}
        data-side={side}
        aria-hidden="true"
        tabIndex={-1}
        onClick={() => go(pane.current!, side)}
      >
        <Arrow size={14} />
        {counts[side]} more
      </button>
    )
  })
}

/** Most of a view further, so that what was at the edge is still seen. */
function go(pane: HTMLElement, side: Side): void {
  const [left, top] = WAYS[side]
  pane.scrollBy({ left: left * 0.8 * pane.clientWidth, top: top * 0.8 * pane.clientHeight, behavior: 'smooth' })
}

/** Cards that are not wholly in sight, by the edge that one goes over to see them: a side before above and below. */
function beyond(pane: HTMLElement): Counts {
  const view = pane.getBoundingClientRect()
  const counts = { ...NONE }
  for (const card of pane.querySelectorAll('[data-key]:not([data-key^="way "])')) {
    const box = card.getBoundingClientRect()
    if (box.left < view.left) counts.left += 1
    else if (box.right > view.right) counts.right += 1
    else if (box.top < view.top) counts.top += 1
    else if (box.bottom > view.bottom) counts.bottom += 1
  }
  return counts
}
