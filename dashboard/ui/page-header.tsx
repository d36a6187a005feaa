import { type ReactNode, useEffect } from 'react'
import { ArrowLeftIcon } from './icons.tsx'
import { Link } from './link.tsx'
import classes from './page-header.module.css'

/** The one `h1` of a page, what it is in a line, and its acts. It names the document too. */
export function PageHeader({
  title,
  children,
  actions,
  back,
  badge,
}: {
  title: string
  /** One line about it. */
  children?: ReactNode
  actions?: ReactNode
  back?: { to: string; label: string }
  badge?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Postroom`
  }, [title])
  return (
    <header className={classes.header}>
      {back && (
        <Link to={back.to} className={classes.back}>
          <ArrowLeftIcon size={14} />
          {back.label}
        </Link>
      )}
      <div className={classes.row}>
        <div className={classes.words}>
          <div className={classes.title}>
            <h1 tabIndex={-1}>{title}</h1>
            {badge}
          </div>
          {children !== undefined && <p className={classes.line}>{children}</p>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
    </header>
  )
}
