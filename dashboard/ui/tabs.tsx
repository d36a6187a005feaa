import { Link } from './link.tsx'
import classes from './tabs.module.css'

/** On phones the one that is chosen comes between its neighbours; the page itself stays where it is. */
function show(tab: HTMLElement | null): void {
  const nav = tab?.parentElement
  if (nav) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
}

/** Views of one thing, each with an address of its own. */
export function Tabs({
  label,
  tabs,
}: {
  label: string
  tabs: readonly { to: string; search?: Record<string, string | undefined>; label: string; current: boolean }[]
}) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          ref={tab.current ? show : undefined}
          to={tab.to}
          {...(tab.search ? { search: tab.search } : {})}
          replace
          activeOptions={{ exact: true }}
          aria-current={tab.current ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
