import { useRef, useState } from 'react'
import type { AutomationCounts } from '../../../lib/site-types.ts'
import { AlertTriangleIcon, BoltIcon, CircleXIcon, PlusIcon } from '../../../ui/icons.tsx'
import type { Line, Place, Step } from '../flow-tree.ts'
import { kindText, nodeText, wayText } from '../node-words.ts'
import classes from './canvas.module.css'
import { EdgeHints } from './edge-hints.tsx'
import { enterText } from './enter-words.ts'
import { faultText } from './fault-words.ts'
import { rowElement } from './focus-row.ts'
import { MailPicture } from './lazy-mail-picture.tsx'
import { ENTER_KEY, stepKey, wayKey } from './outline-rows.ts'
import { clipsOf, onRowKey } from './row-keys.ts'
import { kindNamed } from './step-kinds.ts'
import marks from './step-mark.module.css'
import { stepName } from './step-name.ts'
import { Numbers, WayShare } from './step-numbers.tsx'
import type { Builder } from './use-builder.ts'
import { usePan } from './use-pan.ts'
import type { Steps } from './use-steps.ts'
import { useZoom } from './use-zoom.ts'
import { ZoomBar } from './zoom-bar.tsx'

type Shared = {
  builder: Builder
  steps: Steps
  counts: AutomationCounts | undefined
  /** What is chosen. */
  at: string
  /** Steps at which scenarios fail, with their names. */
  failing: ReadonlyMap<string, string[]>
}

/** The tree as a picture that lays itself out: cards from top to bottom, ways that part side by side in a frame. */
export default function Canvas(props: Shared) {
  const { builder, steps, at } = props
  const canvas = useRef<HTMLElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const tree = useRef<HTMLDivElement>(null)
  // In this order: what is chosen is in the middle before the tree finds its size.
  usePan(pane, at)
  const zoom = useZoom({ canvas, pane, tree })
  const rows = builder.rows.filter(({ is }) => is !== 'tail')
  const [held, hold] = useState(at)
  const row = rows.find(({ key }) => key === held)
  const focus = (key: string | undefined) => key !== undefined && rowElement(key)?.focus()
  return (
    <section
      ref={canvas}
      className={classes.canvas}
      aria-label="Canvas"
      onFocus={({ target }) => hold(target.dataset.key ?? '')}
      onKeyDown={(event) => row && onRowKey(event, { rows, row, steps, focus })}
      {...clipsOf(row, steps)}
    >
      <div className={classes.view}>
        <div ref={pane} className={classes.pane}>
          <div ref={tree} className={classes.tree} style={{ zoom: zoom.zoom }}>
            <button
              type="button"
              className={classes.card}
              data-key={ENTER_KEY}
              data-chosen={at === ENTER_KEY || undefined}
              onClick={() => steps.choose(ENTER_KEY)}
            >
              <span className={marks.mark} data-type="enter">
                <BoltIcon size={16} />
              </span>
              <span className={classes.words}>
                <span className={classes.name}>People come in</span>
                <span className={classes.does}>{enterText(builder.definition.enter, builder.referenceName)}</span>
              </span>
              <CardFaults builder={builder} rowKey={ENTER_KEY} about={builder.definition} />
            </button>
            <LineOfCards line={builder.tree} behind="People come in" {...props} />
            {builder.tree.steps.length === 0 && <FirstStep line={builder.tree} steps={steps} />}
          </div>
        </div>
        <EdgeHints key={zoom.zoom} pane={pane} tree={tree} />
      </div>
      <ZoomBar zoom={zoom} />
    </section>
  )
}

/** Where nothing happens yet: what one begins with. */
function FirstStep({ line: { tail }, steps }: { line: Line; steps: Steps }) {
  if (tail.is === 'parts') return null
  return (
    <button type="button" className={classes.first} onClick={() => steps.add(tail.place)}>
      <span className={classes.name}>Add the first step</span>
      <span>A mail, a wait, a branch: what happens to whoever comes in.</span>
    </button>
  )
}

function LineOfCards({ line, behind, ...props }: Shared & { line: Line; behind: string }) {
  const { steps, tail } = line
  const last = steps.at(-1)
  return (
    <>
      {steps.map((step, index) => (
        <Card key={step.id} step={step} behind={index === 0 ? behind : kindText(steps[index - 1]!.node)} {...props} />
      ))}
      {tail.is === 'parts' ? null : (
        <Edge
          place={tail.place}
          behind={last ? kindText(last.node) : behind}
          steps={props.steps}
          ends={tail.is !== 'meets'}
        />
      )}
      {tail.is === 'end' && <span className={classes.end}>End</span>}
      {tail.is === 'on' && (
        <button type="button" className={classes.on} onClick={() => props.steps.choose(stepKey(tail.place.to))}>
          Goes on at {stepName(props.builder.definition, tail.place.to, props.builder.referenceName)}
        </button>
      )}
    </>
  )
}

/** The way from one card to the next, with the plus that puts a step onto it. */
function Edge({ place, behind, steps, ends }: { place: Place; behind: string; steps: Steps; ends: boolean }) {
  return (
    <span className={classes.edge} data-ends={ends || undefined}>
      {place.edges.length > 0 && (
        <button
          type="button"
          className={classes.plus}
          aria-label={`Put a step behind: ${behind}`}
          onClick={() => steps.add(place)}
        >
          <PlusIcon size={13} />
        </button>
      )}
    </span>
  )
}

/** What is wrong at a card, or what it still needs. */
function CardFaults({ builder, rowKey, about }: { builder: Builder; rowKey: string; about: unknown }) {
  const [fault, ...others] = builder.faults.filter(({ key }) => key === rowKey)
  const [open] = builder.open.filter(({ key }) => key === rowKey)
  return (
    <>
      {fault && (
        <span className={classes.fault}>
          <AlertTriangleIcon size={15} />
          <span>
            <span className="visually-hidden">To be mended: </span>
            {faultText(fault, about)}
            {others.length > 0 && `, and ${others.length} more`}
          </span>
        </span>
      )}
      {open && <span className={classes.open}>{faultText(open, about)}</span>}
    </>
  )
}

function Card({ step, behind, ...props }: Shared & { step: Step; behind: string }) {
  const { builder, steps, counts, at } = props
  const { id, node, before, ways } = step
  const key = stepKey(id)
  const Mark = kindNamed(node.type)?.icon ?? BoltIcon
  const failing = props.failing.get(id)
  return (
    <>
      <Edge place={before} behind={behind} steps={steps} ends={false} />
      <div className={classes.node}>
        <button
          type="button"
          className={classes.card}
          data-node={id}
          data-key={key}
          data-chosen={at === key || undefined}
          onClick={() => steps.choose(key)}
        >
          <span className={marks.mark} data-type={node.type}>
            <Mark size={16} />
          </span>
          <span className={classes.words}>
            <span className={classes.name}>{kindText(node)}</span>
            <span className={classes.does}>{nodeText(node, builder.referenceName)}</span>
          </span>
          <CardFaults builder={builder} rowKey={key} about={node} />
          {failing && (
            <span className={classes.failing}>
              <CircleXIcon size={15} />
              Fails: {failing.join(', ')}
            </span>
          )}
        </button>
        {node.type === 'email' && <MailPicture node={node} />}
        <Numbers id={builder.id} node={id} counts={counts} />
      </div>
      {ways.length > 0 && (
        <>
          <span className={classes.edge} data-short />
          <div className={classes.ways} data-frame>
            {ways.map(({ way, line }) => {
              const name = wayText(node, way, builder.referenceName) || 'Way'
              return (
                <div key={way} className={classes.way}>
                  <button
                    type="button"
                    className={classes.wayName}
                    data-key={wayKey(id, way)}
                    data-chosen={at === wayKey(id, way) || undefined}
                    onClick={() => steps.choose(wayKey(id, way))}
                  >
                    {name}
                    <WayShare node={id} way={way} counts={counts} />
                  </button>
                  <LineOfCards line={line} behind={name} {...props} />
                </div>
              )
            })}
          </div>
        </>
      )}
    </>
  )
}
