import { useEffect, useRef, useState } from 'react'
import type { AutomationCounts } from '../../../lib/site-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { OutlineRow } from './edit-outline-row.tsx'
import { rowElement } from './focus-row.ts'
import classes from './outline.module.css'
import { clipsOf, onRowKey } from './row-keys.ts'
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
  const { rows, faults, open } = builder
  const [held, hold] = useState(at)
  const current = rows.some(({ key }) => key === held) ? held : (rows[0]?.key ?? '')
  // The row that had the focus may go with its step: one goes on at the one that is led to now.
  const hadFocus = useRef(false)
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) rowElement(current)?.focus()
  })
  // What is chosen elsewhere is where one goes on from; whoever is here already goes on from where they are.
  useEffect(() => {
    if (!document.activeElement?.closest('[role=treeitem]')) hold(at)
  }, [at])
  const focus = (key: string | undefined) => {
    if (key === undefined) return
    hold(key)
    rowElement(key)?.focus()
  }
  const row = rows.find(({ key }) => key === current)
  return (
    <Panel
      title="Steps"
      note={<span className={classes.keys}>Arrows lead, Enter opens, A adds behind, Del removes, / finds</span>}
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
        onKeyDown={(event) => row && onRowKey(event, { rows, row, steps, focus })}
        {...clipsOf(row, steps)}
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
            isOpen={open.some(({ key }) => key === one.key)}
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
