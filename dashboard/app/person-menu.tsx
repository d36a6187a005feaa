import { useNavigate } from '@tanstack/react-router'
import { useHere } from '../lib/permissions.ts'
import {
  DeviceDesktopIcon,
  FileTextIcon,
  InboxIcon,
  LogoutIcon,
  MoonIcon,
  SelectorIcon,
  SunIcon,
  Terminal2Icon,
  UserIcon,
} from '../ui/icons.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { type Scheme, useScheme } from '../ui/use-scheme.ts'
import { logOut } from './log-out.ts'
import classes from './sidebar.module.css'

const SCHEMES = [
  { scheme: 'light', label: 'Light', icon: SunIcon },
  { scheme: 'dark', label: 'Dark', icon: MoonIcon },
  { scheme: 'auto', label: 'As the system', icon: DeviceDesktopIcon },
] as const satisfies readonly { scheme: Scheme; label: string; icon: unknown }[]

/** The person who is logged in: appearance, and the way out. */
export function PersonMenu() {
  const { user, workspace } = useHere()
  const [scheme, setScheme] = useScheme()
  const navigate = useNavigate()
  const entries: MenuEntry[] = [
    { label: 'Account', icon: UserIcon, onSelect: () => navigate({ to: '/account' as never }) },
    'divider',
    ...SCHEMES.map((one) => ({
      label: one.scheme === scheme ? `${one.label} (now)` : one.label,
      icon: one.icon,
      onSelect: () => setScheme(one.scheme),
    })),
    'divider',
    { label: 'Mailbox', icon: InboxIcon, href: `/app/mailbox/${workspace.slug}` },
    { label: 'Guides', icon: FileTextIcon, href: '/docs/guides/' },
    { label: 'API reference', icon: Terminal2Icon, href: '/docs/' },
    'divider',
    { label: 'Log out', icon: LogoutIcon, onSelect: logOut },
  ]
  const name = user.name || user.email
  return (
    <div className={classes.foot}>
      <Menu
        wide
        target={
          <button type="button" className={classes.pick}>
            <span className={`${classes.mark} ${classes.round}`} data-letter={name.charAt(0).toUpperCase()} />
            <span className={classes.person}>
              <span>{name}</span>
              <span className="visually-hidden">, account and appearance</span>
            </span>
            <SelectorIcon size={14} />
          </button>
        }
        entries={entries}
      />
    </div>
  )
}
