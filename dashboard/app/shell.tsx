import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from '../ui/controls.tsx'
import { Menu2Icon, XIcon } from '../ui/icons.tsx'
import { Bands } from './bands.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'

/** What stands around every page. On phones the sidebar is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path)
  useEffect(() => {
    if (lastPath.current === path) return
    lastPath.current = path
    setOpen(false)
    main.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <div className={classes.shell} data-open={isOpen || undefined}>
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <div className={classes.bar}>
        <IconButton
          label={isOpen ? 'Close the menu' : 'Open the menu'}
          icon={isOpen ? XIcon : Menu2Icon}
          tooltip={false}
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpen(!isOpen)}
        />
        <strong>Postroom</strong>
      </div>
      <aside id="sidebar" className={classes.aside} onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
        <Sidebar />
      </aside>
      {isOpen && (
        <button type="button" className={classes.veil} aria-label="Close the menu" onClick={() => setOpen(false)} />
      )}
      <Shortcuts />
      <div className={classes.content}>
        <Bands />
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
    </div>
  )
}
