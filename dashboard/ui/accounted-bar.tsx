import { type ReactNode, useId } from 'react'
import { numberText, shareText } from '../lib/format.ts'
import classes from './accounted-bar.module.css'

export type BarPart = {
  name: string
  count: number
  tone: 'good' | 'warn' | 'bad' | 'info' | 'neutral' | 'machine'
  /** A line about what it means. */
  meaning?: string
  /** Leads to the people in it. */
  link?: (content: ReactNode) => ReactNode
}

/**
 * Parts of a whole that always add up: each stands there, the empty ones too, and a sum that does not fit is said to be one.
 */
export function AccountedBar({
  label,
  total,
  parts,
  compact = false,
}: {
  label: string
  total: number
  parts: readonly BarPart[]
  compact?: boolean
}) {
  const id = useId()
  const sum = parts.reduce((all, { count }) => all + count, 0)
  const bar = (
    <svg className={classes.bar} viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-labelledby={id}>
      <title id={id}>{`${label}: ${parts.map(({ name, count }) => `${name} ${numberText(count)}`).join(', ')}`}</title>
      {spans(parts, Math.max(total, sum)).map(({ name, tone, x, width }) => (
        <rect key={name} data-tone={tone} x={x} y="0" width={width} height="8" />
      ))}
    </svg>
  )
  if (compact) return bar
  return (
    <div>
      {bar}
      <dl className={classes.parts}>
        {parts.map((part) => {
          const count = <span className={classes.count}>{numberText(part.count)}</span>
          return (
            <div key={part.name} title={part.meaning}>
              <dt>
                <span className={classes.key} data-tone={part.tone} aria-hidden="true" />
                {part.name}
              </dt>
              <dd>
                {part.link && part.count > 0 ? part.link(count) : count}
                <span className={classes.share}>{shareText(part.count, total)}</span>
              </dd>
            </div>
          )
        })}
      </dl>
      <p className={classes.sum}>
        {sum === total
          ? `Adds up to ${numberText(total)}.`
          : `These are ${numberText(sum)} of ${numberText(total)}: the sum does not fit.`}
      </p>
    </div>
  )
}

const WIDTH = 1_000
/** A part that is not nothing is seen. */
const WIDTH_MIN = 4

function spans(parts: readonly BarPart[], total: number) {
  let x = 0
  return parts
    .filter(({ count }) => count > 0)
    .map(({ name, tone, count }) => {
      const width = Math.max(WIDTH_MIN, (count / total) * WIDTH)
      const span = { name, tone, x, width }
      x += width
      return span
    })
}
