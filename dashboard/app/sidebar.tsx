import { useRouterState } from '@tanstack/react-router'
import { NAV_GROUPS, type NavEntry } from '../lib/feature.ts'
import { lazyPart } from '../lib/load-part.ts'
import { useCan } from '../lib/permissions.ts'
import { SLUG } from '../lib/workspace-here.ts'
import { Link } from '../ui/link.tsx'
import { FEATURES } from './features.ts'
import { PaletteOpener } from './palette-opener.tsx'
import { PersonMenu } from './person-menu.tsx'
import classes from './sidebar.module.css'
import { WorkspaceSwitch } from './workspace-switch.tsx'

const BackgroundWork = lazyPart(() => import('./background-work.tsx'))

const entries = FEATURES.flatMap(({ nav }) => nav ?? [])
/** In the order of the sidebar, in which the palette and the list of keys have them too. */
export const NAV_ENTRIES: readonly NavEntry[] = NAV_GROUPS.flatMap(({ names }) =>
  names.flatMap((name) => entries.filter((entry) => entry.name === name)),
)

/** The way to every page that there is and that one may see. */
export function Sidebar() {
  const can = useCan()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const here = path.replace(`/app/${SLUG}`, '') || '/'
  const groups = NAV_GROUPS.map(({ title, names }) => ({
    title,
    entries: names.flatMap((name) =>
      NAV_ENTRIES.filter((entry) => entry.name === name && (entry.needs === undefined || can(entry.needs))),
    ),
  })).filter(({ entries }) => entries.length > 0)
  return (
    <div className={classes.sidebar}>
      <WorkspaceSwitch />
      <PaletteOpener />
      <BackgroundWork />
      <nav aria-label="Pages" className={classes.nav}>
        {groups.map(({ title, entries }) => (
          <div key={title ?? 'first'} className={classes.group}>
            {title !== undefined && (
              <p className={classes.title} aria-hidden="true">
                {title}
              </p>
            )}
            <ul>
              {entries.map(({ name, to, icon: Mark }) => (
                <li key={name}>
                  <Link to={to} className={classes.link} aria-current={isWithin(here, to) ? 'page' : undefined}>
                    <Mark size={16} />
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <PersonMenu />
    </div>
  )
}

function isWithin(here: string, to: string): boolean {
  return to === '/' ? here === '/' : here === to || here.startsWith(`${to}/`)
}
