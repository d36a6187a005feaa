import type { ReactNode } from 'react'
import classes from './panel.module.css'

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  actions,
  children,
  flush = false,
  note,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
  flush?: boolean
  note?: ReactNode
}) {
  return (
    <section className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {note !== undefined && <span className={classes.note}>{note}</span>}
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  )
}

/** Names and values, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
