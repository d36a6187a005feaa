import type { ReactNode } from 'react'
import classes from './stat.module.css'

/** A number with its name, how it compares, and how old it is. */
export function Stat({
  label,
  value,
  children,
  to,
}: {
  label: string
  value: ReactNode
  children?: ReactNode
  to?: ReactNode
}) {
  return (
    <div className={classes.stat}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>{value}</dd>
      {(children !== undefined || to !== undefined) && (
        <dd className={classes.more}>
          {children}
          {to}
        </dd>
      )}
    </div>
  )
}

/** Numbers side by side, with quiet lines between them. */
export function Stats({ children }: { children: ReactNode }) {
  return <dl className={classes.stats}>{children}</dl>
}
