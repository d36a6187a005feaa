import { useId, useState } from 'react'
import { BareDialog } from '../../../ui/bare-dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import classes from './outline.module.css'
import { kindsFor, type StepKind } from './step-kinds.ts'
import marks from './step-mark.module.css'

type Props = {
  /** Whether nothing follows there. */
  isLast: boolean
  onClose: () => void
  onChoose: (kind: StepKind) => void
}

/** What is to happen next: looked for by a word, chosen by keys or pointer. */
export function StepChooser({ isLast, onClose, onChoose }: Props) {
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const found = kindsFor(search, isLast)
  const current = Math.min(at, found.length - 1)
  const optionId = (index: number) => `${id}-${index}`
  return (
    <BareDialog label="Add a step" onClose={onClose} returnFocus={false}>
      <div className={classes.chooser}>
        <TextField
          aria-label="What is to happen"
          placeholder="What is to happen? Mail, wait, branch …"
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? optionId(current) : undefined}
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            const { key } = event
            const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
            const kind = key === 'Enter' ? found[current] : undefined
            if (by === 0 && !kind) return
            event.preventDefault()
            if (kind) onChoose(kind)
            else setAt((current + by + found.length) % Math.max(1, found.length))
          }}
        />
        <div id={`${id}-list`} role="listbox" aria-label="Steps that can be added" className={classes.kinds}>
          {found.map((kind, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field above
            <div
              key={kind.type}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              className={classes.kind}
              onClick={() => onChoose(kind)}
              onPointerMove={() => setAt(index)}
            >
              <span className={marks.mark} data-type={kind.type}>
                <kind.icon size={15} />
              </span>
              <span>
                <span className={classes.kindName}>{kind.name}</span>
                <span className={classes.does}>{kind.does}</span>
              </span>
            </div>
          ))}
          {found.length === 0 && <p className={classes.none}>No step is called so.</p>}
        </div>
      </div>
    </BareDialog>
  )
}
