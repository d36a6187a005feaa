import { type DragEvent, type KeyboardEvent, memo, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import type { BlockRow } from './block-rows.ts'
import classes from './blocks.module.css'
import { type Place, placeAt } from './edit-mail.ts'
import { type Block, isBlock, type Mail } from './read-mail.ts'

export type BlockActs = {
  choose: (begin: number) => void
  move: (block: Block, place: Place) => void
  step: (block: Block, by: 'up' | 'down') => void
  duplicate: (block: Block) => void
  remove: (block: Block) => void
}

type Drop = { index: number; side: 'before' | 'after' | 'into' }
const DEPTH_PX = 14

/**
 * The mail's blocks from top to bottom, each in what holds it. Arrows go through them, Alt with arrows moves the block, Ctrl-D
 * makes another, Delete removes it; dragging moves it too.
 */
export function BlockList({
  mail,
  rows,
  chosen,
  acts,
}: {
  mail: Mail
  rows: readonly BlockRow[]
  chosen: number | null
  acts: BlockActs
}) {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<Block>()
  const [drop, setDrop] = useState<Drop>()
  const at = rows.findIndex(({ node }) => node.begin === chosen)
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-current="true"]')
    if (chosen === null || !row) return
    if (list.current?.contains(document.activeElement)) row.focus()
    row.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const placeOf = (event: DragEvent): { index: number; side: Drop['side']; place: Place } | undefined => {
    const row = rowOf(event)
    if (dragged === undefined || row === undefined) return undefined
    const { node } = rows[row.index]!
    const { top, height } = row.element.getBoundingClientRect()
    const part = (event.clientY - top) / height
    const half = part < 0.5 ? 'before' : 'after'
    for (const side of part > 0.3 ? (['into', half] as const) : ([half, 'into'] as const)) {
      const place = placeAt(mail, dragged, node, side)
      if (place) return { index: row.index, side, place }
    }
    return undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const focused = rows[indexOf(list.current)]?.node
    if (focused === undefined) return
    if (lead(event, list.current)) return
    if (!isBlock(focused)) return
    const by = event.key === 'ArrowUp' ? 'up' : event.key === 'ArrowDown' ? 'down' : undefined
    if (event.altKey && by) acts.step(focused, by)
    else if (event.key === 'Delete' || event.key === 'Backspace') acts.remove(focused)
    else if (event.key.toLowerCase() === 'd' && (event.ctrlKey || event.metaKey)) acts.duplicate(focused)
    else return
    event.preventDefault()
  }
  return (
    // Acts of all rows are heard here: a row that says the same as before is not made anew, and there may be 2,000.
    <ol
      ref={list}
      className={classes.list}
      aria-label="Blocks of the mail"
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const row = rowOf(event)
        if (row) acts.choose(rows[row.index]!.node.begin)
      }}
      onDragStart={(event) => {
        const { node, words } = rows[rowOf(event)?.index ?? -1] ?? {}
        if (node === undefined || !isBlock(node)) return
        // No text: it would be typed wherever it is let go.
        event.dataTransfer.setData('application/x-postroom-block', words ?? '')
        event.dataTransfer.effectAllowed = 'move'
        setDragged(node)
      }}
      onDragEnd={() => {
        setDragged(undefined)
        setDrop(undefined)
      }}
      onDragOver={(event) => {
        const found = placeOf(event)
        if (found) event.preventDefault()
        setDrop(found)
      }}
      onDrop={(event) => {
        const found = placeOf(event)
        event.preventDefault()
        if (found && dragged) acts.move(dragged, found.place)
      }}
    >
      {rows.map(({ node, depth, name, words }, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a block has no other name than its place
          key={index}
          {...{ index, depth, name, words }}
          isBlock={isBlock(node)}
          isChosen={index === at}
          isReached={index === Math.max(0, at)}
          drop={drop?.index === index ? drop.side : undefined}
        />
      ))}
    </ol>
  )
}

type RowProps = Pick<BlockRow, 'depth' | 'name' | 'words'> & {
  index: number
  isBlock: boolean
  isChosen: boolean
  /** The one that the keyboard comes to. */
  isReached: boolean
  drop: Drop['side'] | undefined
}

const Row = memo(function Row({ index, depth, name, words, isBlock, isChosen, isReached, drop }: RowProps) {
  return (
    <li>
      <button
        type="button"
        className={classes.row}
        style={{ paddingInlineStart: depth * DEPTH_PX + 8 }}
        aria-current={isChosen}
        tabIndex={isReached ? 0 : -1}
        data-row={index}
        data-liquid={!isBlock || undefined}
        data-drop={drop}
        draggable={isBlock}
      >
        <span className={classes.name}>{name}</span> <span className={classes.words}>{words}</span>
      </button>
    </li>
  )
})

function rowOf({ target }: SyntheticEvent): { element: HTMLElement; index: number } | undefined {
  const element = (target as Element).closest<HTMLElement>('[data-row]')
  return element ? { element, index: Number(element.dataset.row) } : undefined
}

const rowsIn = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('button') ?? [])]
const indexOf = (list: HTMLElement | null) => rowsIn(list).indexOf(document.activeElement as HTMLElement)

function lead(event: KeyboardEvent, list: HTMLElement | null): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false
  const rows = rowsIn(list)
  const at = indexOf(list)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  if (to === undefined) return false
  event.preventDefault()
  const row = rows[to]
  row?.focus()
  row?.click()
  return true
}
