import { Popover } from '@mantine/core'
import { cloneElement, type KeyboardEvent, type ReactElement, useCallback, useId, useRef, useState } from 'react'
import type { Icon } from './icons.tsx'
import classes from './menu.module.css'

export type MenuEntry =
  | { label: string; icon?: Icon; href?: string; onSelect?: () => void; danger?: boolean; disabled?: string }
  | 'divider'

type Props = { target: ReactElement<Record<string, unknown>>; entries: readonly MenuEntry[]; wide?: boolean }

/**
 * A button with what else can be done, as ARIA's menu button has it: arrows, letters, Home and End lead, Escape goes back.
 * An entry that cannot be chosen says why.
 */
export function Menu({ target, entries, wide = false }: Props) {
  const [opened, setOpened] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  // The list is there a moment after the menu is opened: what is in it gets the focus when it comes.
  const take = useCallback((element: HTMLDivElement | null) => {
    list.current = element
    if (element) requestAnimationFrame(() => itemsOf(element)[0]?.focus({ preventScroll: true }))
  }, [])
  // What is chosen may open a dialog: when that is closed, the focus goes back to where it was as it came.
  const choose = (run: (() => void) | undefined) => {
    setOpened(false)
    document.querySelector<HTMLElement>(`[data-menu="${id}"]`)?.focus({ preventScroll: true })
    run?.()
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={wide ? 'target' : undefined}
      position="bottom-end"
      radius="md"
      shadow="md"
      returnFocus
      withRoles={false}
      transitionProps={{ duration: 80 }}
    >
      <Popover.Target>
        {cloneElement(target, {
          'aria-haspopup': 'menu',
          'aria-expanded': opened,
          'aria-controls': opened ? id : undefined,
          'data-menu': id,
          onClick: () => setOpened(!opened),
          // The button may have the focus still, or again.
          onKeyDown: (event: KeyboardEvent) => {
            if (event.key !== (opened ? 'Escape' : 'ArrowDown')) return
            event.preventDefault()
            event.stopPropagation()
            setOpened(!opened)
          },
        })}
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <div
          ref={take}
          id={id}
          role="menu"
          tabIndex={-1}
          className={classes.menu}
          onKeyDown={(event) => lead(event, list.current, setOpened)}
        >
          {entries.map((entry, index) =>
            entry === 'divider' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: dividers have nothing else
              <hr key={`divider-${index}`} className={classes.divider} />
            ) : (
              <Item key={entry.label} entry={entry} choose={choose} />
            ),
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

function Item({
  entry,
  choose,
}: {
  entry: Exclude<MenuEntry, 'divider'>
  choose: (run: (() => void) | undefined) => void
}) {
  const { label, icon: Mark, href, onSelect, danger, disabled } = entry
  const content = (
    <>
      {Mark && <Mark size={15} />}
      <span>
        {label}
        {disabled !== undefined && <span className={classes.reason}>{disabled}</span>}
      </span>
    </>
  )
  const shared = { role: 'menuitem', tabIndex: -1, className: classes.item, 'data-danger': danger || undefined }
  if (href !== undefined && disabled === undefined) {
    return (
      <a {...shared} href={href} onClick={() => choose(undefined)}>
        {content}
      </a>
    )
  }
  return (
    <button
      {...shared}
      type="button"
      aria-disabled={disabled !== undefined || undefined}
      onClick={() => disabled === undefined && choose(onSelect)}
    >
      {content}
    </button>
  )
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
}

function lead(event: KeyboardEvent, list: HTMLElement | null, setOpened: (opened: boolean) => void): void {
  const items = itemsOf(list)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = targetOf(event.key, at, items)
  if (event.key === 'Tab') setOpened(false)
  if (to === undefined) return
  event.preventDefault()
  items[to]?.focus()
}

function targetOf(key: string, at: number, items: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % items.length
  if (key === 'ArrowUp') return (at - 1 + items.length) % items.length
  if (key === 'Home') return 0
  if (key === 'End') return items.length - 1
  if (key.length !== 1 || key === ' ') return undefined
  const order = items.map((_, step) => (at + 1 + step) % items.length)
  return order.find((index) => items[index]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
}
