import type { ClipboardEvent, KeyboardEvent } from 'react'
import { focusForm } from './focus-row.ts'
import type { EditRow } from './outline-rows.ts'
import type { Steps } from './use-steps.ts'

type Keyed = {
  rows: readonly EditRow[]
  row: EditRow
  steps: Steps
  focus: (key: string | undefined) => void
}

/** Keys of outline and canvas: arrows lead, letters act on the row that has the focus. */
export function onRowKey(event: KeyboardEvent, keyed: Keyed): void {
  // Buttons in a row have keys of their own.
  if (event.target instanceof HTMLElement && event.target.closest('button:not([data-key])')) return
  const act = event.altKey ? movesOf(event, keyed) : event.ctrlKey || event.metaKey ? undefined : actOf(event, keyed)
  if (!act) return
  event.preventDefault()
  act()
}

function movesOf({ key }: KeyboardEvent, { row, steps }: Keyed): (() => void) | undefined {
  if (row.is !== 'step') return undefined
  if (key === 'ArrowUp') return () => steps.move(row.id, row.up)
  return key === 'ArrowDown' ? () => steps.move(row.id, row.down) : undefined
}

function actOf({ key }: KeyboardEvent, { rows, row, steps, focus }: Keyed): (() => void) | undefined {
  const at = rows.indexOf(row)
  const lead = (to: EditRow | undefined) => () => focus(to?.key)
  switch (key) {
    case 'ArrowDown':
      return lead(rows[at + 1])
    case 'ArrowUp':
      return lead(rows[at - 1])
    case 'ArrowLeft':
      return lead(rows.slice(0, at).findLast(({ level }) => level < row.level))
    case 'ArrowRight':
      return lead(rows[at + 1] && rows[at + 1]!.level > row.level ? rows[at + 1] : undefined)
    case 'Home':
      return lead(rows[0])
    case 'End':
      return lead(rows.at(-1))
    case 'Enter':
    case ' ':
      return () => {
        steps.choose(row.key)
        focusForm(row.key)
      }
    case 'a':
      return row.after && (() => steps.add(row.after!))
    case 'd':
      return row.is === 'step' ? () => steps.duplicate(row.id) : undefined
    case 'Delete':
    case 'Backspace':
      return row.is === 'step'
        ? () => {
            focus(rows[at - 1]?.key)
            steps.askRemove(row.id)
          }
        : undefined
    default:
      return undefined
  }
}

/** Cut, copy and paste of the row that has the focus, as JSON on the clipboard. */
export function clipsOf(row: EditRow | undefined, steps: Steps) {
  const take = (act: 'copy' | 'cut') => (event: ClipboardEvent) => {
    if (row?.is !== 'step') return
    event.preventDefault()
    event.clipboardData.setData('text/plain', steps[act](row.id))
  }
  return {
    onCopy: take('copy'),
    onCut: take('cut'),
    onPaste: (event: ClipboardEvent) => {
      if (!row?.after) return
      event.preventDefault()
      steps.paste(row.after, event.clipboardData.getData('text/plain'))
    },
  }
}
