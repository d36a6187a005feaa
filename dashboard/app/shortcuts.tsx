import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import { useCan } from '../lib/permissions.ts'
import { listenToShortcuts, type Shortcut } from '../lib/shortcuts.ts'
import { undoLast } from '../ui/toasts.tsx'
import { paletteAsked } from './palette-asked.ts'
import { NAV_ENTRIES } from './sidebar.tsx'

const ShortcutHelp = lazyPart(() => import('./shortcut-help.tsx'))

/** Keys of the whole application: `/` searches, `?` tells them all, `g c` and the like lead to pages. */
export function Shortcuts() {
  const can = useCan()
  const navigate = useNavigate()
  const [isHelp, setHelp] = useState(false)
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: '/', does: 'Search on this page', run: searchHere },
      { keys: 'z', does: 'Undo, while a message offers to', run: undoLast },
      { keys: '?', does: 'All keys', run: () => setHelp(true) },
      ...NAV_ENTRIES.filter(({ key, needs }) => key !== undefined && (needs === undefined || can(needs))).map(
        ({ key, name, to }) => ({
          keys: `g ${key}`,
          does: `Go to ${name}`,
          run: () => navigate({ to: to as never }),
        }),
      ),
    ],
    [can, navigate],
  )
  useEffect(() => listenToShortcuts(() => shortcuts), [shortcuts])
  return isHelp ? <ShortcutHelp shortcuts={shortcuts} onClose={() => setHelp(false)} /> : null
}

/** The search of the page, or that of everything where it has none. */
function searchHere(): void {
  const field = document.querySelector<HTMLInputElement>('[data-page-search]')
  if (field) {
    field.focus()
    field.select()
  }
  if (!field) paletteAsked.set(true)
}
