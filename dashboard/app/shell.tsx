import { useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from '../ui/controls.tsx'
import { Menu2Icon, XIcon } from '../ui/icons.tsx'
import { useIsNarrow } from '../ui/use-is-narrow.ts'
import { Bands } from './bands.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'

/** What stands around every page. On phones the sidebar is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const [isAsked, setOpen] = useState(false)
  const isOpen = useIsNarrow() && isAsked
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const lastPath = useRef(path)
  useEffect(() => {
    if (lastPath.current === path) return
    lastPath.current = path
    setOpen(false)
    main.current?.focus({ preventScroll: true })
  }, [path])
  const close = () => {
    setOpen(false)
    opener.current?.focus()
  }
  const onKeyDown = ({ key, defaultPrevented }: KeyboardEvent) => {
    if (key === 'Escape' && !defaultPrevented) close()
  }
  // A way to where one is already leads nowhere else.
  const onClick = ({ target }: MouseEvent) => {
    if ((target as Element).closest('nav a')) close()
  }
  return (
    <div className={classes.shell} data-open={isOpen || undefined}>
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <div className={classes.bar}>
        <IconButton
          ref={opener}
          label={isOpen ? 'Close the menu' : 'Open the menu'}
          icon={isOpen ? XIcon : Menu2Icon}
          tooltip={false}
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpen(!isOpen)}
          onKeyDown={isOpen ? onKeyDown : undefined}
        />
        <strong>Postroom</strong>
      </div>
      <aside
        id="sidebar"
        className={classes.aside}
        onKeyDown={isOpen ? onKeyDown : undefined}
        onClick={isOpen ? onClick : undefined}
      >
        <Sidebar />
      </aside>
      {isOpen && (
        <button
          type="button"
          className={classes.veil}
          aria-label="Close the menu"
          onClick={close}
          onKeyDown={onKeyDown}
        />
      )}
      <Shortcuts />
      <div className={classes.content} inert={isOpen}>
        <Bands />
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
    </div>
  )
}
