import { Link } from './link.tsx'
import classes from './tabs.module.css'

/** On phones the chosen one is seen, whichever it is; the page itself stays where it is. */
function showCurrent(nav: HTMLElement | null): void {
  const tab = nav?.querySelector<HTMLElement>('[aria-current]')
  if (nav && tab) nav.scrollLeft = tab.offsetLeft + tab.offsetWidth - nav.offsetLeft - nav.clientWidth
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
    <nav ref={showCurrent} className={classes.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
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
