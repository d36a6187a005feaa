import { useId, useState } from 'react'
import { BareDialog } from '../../../ui/bare-dialog.tsx'
import type { Icon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import classes from './outline.module.css'
import marks from './step-mark.module.css'

/** What may be chosen: its sign by the `type` of a step, what it is called, and a line on it. */
export type Choice = { key: string; type: string; icon: Icon; name: string; does: string }

type Props<Of extends Choice> = {
  /** Of the layer, of the field in it and of the list below that. */
  labels: { layer: string; field: string; list: string; placeholder: string; none: string }
  /** What fits a word, the best first. */
  find: (search: string) => readonly Of[]
  onClose: () => void
  onChoose: (choice: Of) => void
}

/** A layer in which something of a list is looked for by a word, and chosen by keys or pointer. */
export function WordChooser<Of extends Choice>({ labels, find, onClose, onChoose }: Props<Of>) {
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const found = find(search)
  const current = Math.min(at, found.length - 1)
  const optionId = (index: number) => `${id}-${index}`
  const lead = (index: number) => {
    setAt(index)
    document.getElementById(optionId(index))?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <BareDialog label={labels.layer} onClose={onClose} returnFocus={false}>
      <div className={classes.chooser}>
        <TextField
          aria-label={labels.field}
          placeholder={labels.placeholder}
          autoFocus
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
            const choice = key === 'Enter' ? found[current] : undefined
            if (by === 0 && !choice) return
            event.preventDefault()
            if (choice) onChoose(choice)
            else lead((current + by + found.length) % Math.max(1, found.length))
          }}
        />
        <div id={`${id}-list`} role="listbox" aria-label={labels.list} className={classes.kinds}>
          {found.map((choice, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field above
            <div
              key={choice.key}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              className={classes.kind}
              onClick={() => onChoose(choice)}
              onPointerMove={() => setAt(index)}
            >
              <span className={marks.mark} data-type={choice.type}>
                <choice.icon size={15} />
              </span>
              <span className={classes.kindWords}>
                <span className={classes.kindName}>{choice.name}</span>
                <span className={classes.does}>{choice.does}</span>
              </span>
            </div>
          ))}
          {found.length === 0 && <p className={classes.none}>{labels.none}</p>}
        </div>
      </div>
    </BareDialog>
  )
}
