import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { AutomationCounts } from '../../../lib/site-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { OutlineRow } from './edit-outline-row.tsx'
import { rowElement } from './focus-row.ts'
import classes from './outline.module.css'
import type { EditRow } from './outline-rows.ts'
import type { Builder } from './use-builder.ts'
import type { Steps } from './use-steps.ts'

type Props = {
  builder: Builder
  steps: Steps
  counts: AutomationCounts | undefined
  /** The row whose form is open. */
  at: string
}

/** All steps as a tree that is read and edited by keys: the same model as the canvas, and what phones show. */
export function EditOutline({ builder, steps, counts, at }: Props) {
  const { rows, faults } = builder
  const [held, hold] = useState(at)
  const current = rows.some(({ key }) => key === held) ? held : (rows[0]?.key ?? '')
  // The row that had the focus may go with its step: one goes on at the one that is led to now.
  const hadFocus = useRef(false)
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) rowElement(current)?.focus()
  })
  // A step that was added or moved by keys is where one goes on from.
  useEffect(() => hold(at), [at])
  const focus = (key: string | undefined) => {
    if (key === undefined) return
    hold(key)
    rowElement(key)?.focus()
  }
  const row = rows.find(({ key }) => key === current)
  const onClip = (event: ClipboardEvent, act: 'copy' | 'cut') => {
    if (row?.is !== 'step') return
    event.preventDefault()
    event.clipboardData.setData('text/plain', steps[act](row.id))
  }
  return (
    <Panel
      title="Steps"
      note={<span className={classes.keys}>Arrows lead, Enter opens, A adds behind, Del removes</span>}
      flush
    >
      <div
        role="tree"
        aria-label="Steps"
        className={classes.tree}
        onFocus={() => {
          hadFocus.current = true
        }}
        onBlur={({ relatedTarget }) => {
          if (relatedTarget !== null) hadFocus.current = false
        }}
        onKeyDown={(event) => row && onKey(event, { rows, row, steps, focus })}
        onCopy={(event) => onClip(event, 'copy')}
        onCut={(event) => onClip(event, 'cut')}
        onPaste={(event) => {
          if (!row?.after) return
          event.preventDefault()
          steps.paste(row.after, event.clipboardData.getData('text/plain'))
        }}
      >
        {rows.map((one) => (
          <OutlineRow
            key={one.key}
            row={one}
            builder={builder}
            counts={counts}
            isChosen={one.key === at}
            isCurrent={one.key === current}
            isFaulty={faults.some(({ key }) => key === one.key)}
            onHold={() => hold(one.key)}
            onChoose={() => {
              hold(one.key)
              steps.choose(one.key)
            }}
            onAdd={one.after && (() => steps.add(one.after!))}
          />
        ))}
      </div>
    </Panel>
  )
}

type Keyed = {
  rows: readonly EditRow[]
  row: EditRow
  steps: Steps
  focus: (key: string | undefined) => void
}

function onKey(event: KeyboardEvent, keyed: Keyed): void {
  // Buttons in a row have keys of their own.
  if (event.target instanceof HTMLElement && event.target.closest('button')) return
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
        openForm()
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

/** Leads to the first field of the form beside, once it is there. */
function openForm(): void {
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>('[data-step-form] :is(input, select, textarea, button):not([disabled])')
      ?.focus(),
  )
}
