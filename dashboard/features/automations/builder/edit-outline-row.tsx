import { useId } from 'react'
import { numberText } from '../../../lib/format.ts'
import type { AutomationCounts } from '../../../lib/site-types.ts'
import { IconButton } from '../../../ui/controls.tsx'
import { AlertTriangleIcon, ArrowRightIcon, BoltIcon, MinusIcon, PlusIcon } from '../../../ui/icons.tsx'
import { MailNumbers } from '../mail-numbers.tsx'
import { kindText, nodeText, wayText } from '../node-words.ts'
import { enterText } from './enter-words.ts'
import classes from './outline.module.css'
import type { EditRow } from './outline-rows.ts'
import { kindNamed } from './step-kinds.ts'
import marks from './step-mark.module.css'
import { stepName } from './step-name.ts'
import { hereAt, Passed, WayShare } from './step-numbers.tsx'
import type { Builder } from './use-builder.ts'

type Props = {
  row: EditRow
  builder: Builder
  counts: AutomationCounts | undefined
  isChosen: boolean
  isCurrent: boolean
  isFaulty: boolean
  /** Just put in, and not filled in yet. */
  isOpen: boolean
  onHold: () => void
  onChoose: () => void
  onAdd: (() => void) | undefined
}

const STEP_PX = 18
const LEVELS_SHOWN_MAX = 9

/** One row: its sign, what happens there in words, who is there, and a plus that puts a step behind it. */
export function OutlineRow({
  row,
  builder,
  counts,
  isChosen,
  isCurrent,
  isFaulty,
  isOpen,
  onHold,
  onChoose,
  onAdd,
}: Props) {
  const id = useId()
  const Mark = row.is === 'step' ? kindNamed(row.node.type)?.icon : row.is === 'enter' ? BoltIcon : undefined
  const { name, words } = wordsOf(row, builder)
  const here = row.is === 'step' ? hereAt({ node: row.id, counts }) : 0
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the tree
    <div
      role="treeitem"
      aria-level={row.level}
      aria-selected={isChosen}
      aria-labelledby={id}
      tabIndex={isCurrent ? 0 : -1}
      data-key={row.key}
      data-is={row.is}
      data-chosen={isChosen || undefined}
      className={classes.row}
      onFocus={onHold}
      onClick={onChoose}
    >
      <span id={id} className={classes.label}>
        <span
          className={classes.words}
          style={{ paddingInlineStart: (Math.min(row.level, LEVELS_SHOWN_MAX) - 1) * STEP_PX }}
        >
          {Mark && (
            <span className={marks.mark} data-type={row.is === 'step' ? row.node.type : 'enter'}>
              <Mark size={15} />
            </span>
          )}
          {row.is === 'tail' && (row.tail.is === 'end' ? <MinusIcon size={13} /> : <ArrowRightIcon size={13} />)}
          <span className={classes.name}>{name}</span>
          <span className={classes.text}>{words}</span>
        </span>
        <span className={classes.more}>
          {isFaulty && (
            <span className={classes.fault}>
              <AlertTriangleIcon size={14} />
              <span className="visually-hidden">to be mended</span>
            </span>
          )}
          {isOpen && <span className={classes.meeting}>to be filled in</span>}
          {row.is === 'step' && row.meeting > 1 && (
            <span className={classes.meeting}>{numberText(row.meeting)} ways meet here</span>
          )}
          {row.is === 'step' && (
            <span className={classes.passed}>
              <Passed node={row.id} counts={counts} />
            </span>
          )}
          {row.is === 'way' && <WayShare node={row.of} way={row.way} counts={counts} />}
          {here > 0 && <span className={classes.here}>{numberText(here)} here</span>}
        </span>
        {row.is === 'step' && (
          <span className={classes.mails}>
            <MailNumbers node={row.id} counts={counts} />
          </span>
        )}
      </span>
      {onAdd ? (
        <IconButton
          label={`Add a step behind: ${name}`}
          icon={PlusIcon}
          tooltip={false}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation()
            onAdd()
          }}
        />
      ) : (
        <span className={classes.noAdd} />
      )}
    </div>
  )
}

function wordsOf(row: EditRow, { definition, referenceName }: Builder): { name: string; words: string } {
  switch (row.is) {
    case 'enter':
      return { name: 'People come in', words: enterText(definition.enter, referenceName) }
    case 'step':
      return { name: kindText(row.node), words: nodeText(row.node, referenceName) }
    case 'way':
      return { name: wayText(row.node, row.way, referenceName) || 'Way', words: '' }
    case 'tail': {
      if (row.tail.is === 'end') return { name: 'Ends here', words: '' }
      const { to } = row.tail.place
      return {
        name: row.tail.is === 'meets' ? 'Meets the others at' : 'Goes on at',
        words: stepName(definition, to, referenceName),
      }
    }
  }
}
