import { useEffect, useState } from 'react'
import { contactName } from '../features/contacts/contact-name.ts'
import { hasPage } from '../lib/pages-here.ts'
import { useCan, useHere } from '../lib/permissions.ts'
import { useSite } from '../lib/use-site.ts'
import {
  ArrowRightIcon,
  DeviceDesktopIcon,
  type Icon,
  InboxIcon,
  LogoutIcon,
  MoonIcon,
  SelectorIcon,
  SendIcon,
  SunIcon,
  UserIcon,
} from '../ui/icons.tsx'
import { useScheme } from '../ui/use-scheme.ts'
import { FEATURES } from './features.ts'
import { logOut } from './log-out.ts'
import { NAV_ENTRIES } from './sidebar.tsx'

/** Something that the palette leads to, or does. */
export type Find = {
  id: string
  name: string
  note?: string
  kind: string
  icon: Icon
  to?: string
  href?: string
  run?: () => void
}

const SEARCH_CHARS_MIN = 2
const FOUND_MAX = 5
const TYPED_MS = 150

/** Everything that fits the text; people and broadcasts are asked for once the fingers rest. */
export function useFinds(text: string): { finds: Find[]; isSearching: boolean } {
  const can = useCan()
  const asked = useRested(text.trim())
  const isLong = asked.length >= SEARCH_CHARS_MIN
  const query = { search: asked, pageSize: FOUND_MAX }
  const contacts = useSite('GET /contacts', { query }, { enabled: isLong && can('contacts:read') })
  const broadcasts = useSite('GET /broadcasts', { query }, { enabled: isLong && can('broadcasts:read') })
  const words = text.trim().toLowerCase()
  const fixed = useFixedFinds().filter(({ name }) => words === '' || name.toLowerCase().includes(words))
  const people = (isLong ? (contacts.data?.items ?? []) : []).map((contact) => ({
    id: `contact-${contact.id}`,
    name: contactName(contact),
    ...(contact.email && contact.email !== contactName(contact) ? { note: contact.email } : {}),
    kind: 'Contact',
    icon: UserIcon,
    to: `/contacts/${contact.id}`,
  }))
  const sends = (isLong && hasPage('/broadcasts/$broadcastId') ? (broadcasts.data?.items ?? []) : []).map(
    ({ id, name, status }) => ({
      id: `broadcast-${id}`,
      name,
      note: status,
      kind: 'Broadcast',
      icon: SendIcon,
      to: `/broadcasts/${id}`,
    }),
  )
  return {
    finds: [...fixed, ...people, ...sends],
    isSearching: asked !== text.trim() || contacts.isFetching || broadcasts.isFetching,
  }
}

/** Pages, workspaces and acts, which are known without asking. */
function useFixedFinds(): Find[] {
  const can = useCan()
  const { workspace, workspaces } = useHere()
  const [, setScheme] = useScheme()
  const icons = new Map(NAV_ENTRIES.map(({ to, icon }) => [to, icon]))
  const pages = FEATURES.flatMap(({ routes }) => routes).flatMap(({ path, title, needs }) =>
    title === undefined || path.includes('$') || (needs !== undefined && !can(needs))
      ? []
      : [{ id: `page-${path}`, name: title, kind: 'Page', icon: icons.get(path) ?? ArrowRightIcon, to: path }],
  )
  // Pages of the sidebar come in its order, and before those that others lead to.
  const places = [...icons.keys()]
  const placeOf = (to: string) => (icons.has(to) ? places.indexOf(to) : places.length)
  const others = workspaces
    .filter(({ slug }) => slug !== workspace.slug)
    .map(({ slug, name }) => ({
      id: `workspace-${slug}`,
      name,
      kind: 'Workspace',
      icon: SelectorIcon,
      href: `/app/${slug}`,
    }))
  return [
    ...pages.toSorted((a, b) => placeOf(a.to) - placeOf(b.to)),
    { id: 'mailbox', name: 'Mailbox', kind: 'Page', icon: InboxIcon, href: `/app/mailbox/${workspace.slug}` },
    ...others,
    { id: 'light', name: 'Light colours', kind: 'Do', icon: SunIcon, run: () => setScheme('light') },
    { id: 'dark', name: 'Dark colours', kind: 'Do', icon: MoonIcon, run: () => setScheme('dark') },
    { id: 'system', name: 'Colours of the system', kind: 'Do', icon: DeviceDesktopIcon, run: () => setScheme('auto') },
    { id: 'log-out', name: 'Log out', kind: 'Do', icon: LogoutIcon, run: logOut },
  ]
}

function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
