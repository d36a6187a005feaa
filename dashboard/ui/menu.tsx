import { Menu as KitMenu } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Icon } from './icons.tsx'

export type MenuEntry =
  | { label: string; icon?: Icon; href?: string; onSelect?: () => void; danger?: boolean; disabled?: string }
  | 'divider'

/** A button with what else can be done. An entry that cannot says why instead. */
export function Menu({
  target,
  entries,
  wide = false,
}: {
  target: ReactNode
  entries: readonly MenuEntry[]
  wide?: boolean
}) {
  return (
    <KitMenu width={wide ? 'target' : undefined}>
      <KitMenu.Target>{target}</KitMenu.Target>
      <KitMenu.Dropdown>
        {entries.map((entry, index) =>
          entry === 'divider' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: dividers have nothing else
            <KitMenu.Divider key={`divider-${index}`} />
          ) : (
            <KitMenu.Item
              key={entry.label}
              data-danger={entry.danger || undefined}
              disabled={entry.disabled !== undefined}
              {...(entry.icon ? { leftSection: <entry.icon size={15} /> } : {})}
              {...(entry.href ? { component: 'a', href: entry.href } : {})}
              {...(entry.onSelect ? { onClick: entry.onSelect } : {})}
            >
              {entry.label}
              {entry.disabled !== undefined && <span className="menu-reason">{entry.disabled}</span>}
            </KitMenu.Item>
          ),
        )}
      </KitMenu.Dropdown>
    </KitMenu>
  )
}
