import { type CSSProperties, useEffect, useState } from 'react'
import { documentOf } from './mail-document.ts'
import type { Place } from './mail-frame.tsx'
import classes from './mail-heat.module.css'

/** How hot a link is beside the hottest, 0 to 1, and the words that stand on it. */
export type LinkHeat = { heat: number; words: string }

type Spot = LinkHeat & { left: number; top: number; width: number; height: number }

type Props = Place & { heat: ReadonlyMap<number, LinkHeat> }

/** Lies over a mail and colours its links. For eyes alone: the page has the same as a table. */
export function MailHeat({ frame, draws, heat }: Props) {
  const [spots, setSpots] = useState<readonly Spot[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: links stand elsewhere when what is shown has changed
  useEffect(() => setSpots(spotsOf(documentOf(frame.current), heat)), [frame, draws, heat])
  return (
    <div className={classes.heat} aria-hidden="true">
      {spots.map(({ heat: hot, words, ...box }) => (
        <div key={`${box.left} ${box.top}`} style={{ ...box, '--hot': hot } as CSSProperties}>
          <span>{words}</span>
        </div>
      ))}
    </div>
  )
}

/** Links of the mail that take up room, each with the pictures in it, which may be larger than its line. */
function spotsOf(inner: Document | null, heat: Props['heat']): Spot[] {
  const links = [...(inner?.querySelectorAll('a[href^="link:"]') ?? [])]
  return links.flatMap((link) => {
    const of = heat.get(Number(link.getAttribute('href')?.slice('link:'.length)))
    const places = [link, ...link.querySelectorAll('img')].map((element) => element.getBoundingClientRect())
    const [left, top] = [Math.min(...places.map((one) => one.left)), Math.min(...places.map((one) => one.top))]
    const width = Math.max(...places.map((one) => one.right)) - left
    const height = Math.max(...places.map((one) => one.bottom)) - top
    return of && width > 0 && height > 0 ? [{ ...of, left, top, width, height }] : []
  })
}
