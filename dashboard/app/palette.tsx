import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { BareDialog } from '../ui/bare-dialog.tsx'
import { SearchIcon } from '../ui/icons.tsx'
import classes from './palette.module.css'
import { type Find, useFinds } from './palette-finds.ts'

/** Pages, people by name or address, broadcasts, and acts, by a few letters. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { finds, isSearching } = useFinds(text)
  const listId = useId()
  const chosen = Math.min(at, finds.length - 1)

  useEffect(() => {
    document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, chosen])

  const run = (find: Find | undefined) => {
    if (find === undefined) return
    onClose()
    if (find.to !== undefined) navigate({ to: find.to as never })
    else if (find.href !== undefined) location.assign(find.href)
    else find.run?.()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && finds.length > 0) {
      event.preventDefault()
      setAt((chosen + step + finds.length) % finds.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(finds[chosen])
    }
  }
  return (
    <BareDialog label="Find anything" onClose={onClose}>
      <div className={classes.field}>
        <SearchIcon size={16} />
        <input
          data-autofocus
          ref={focusAtOnce}
          role="combobox"
          aria-label="Find anything"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={finds[chosen] ? `${listId}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder="A page, a person, something to do"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} role="listbox" aria-label="Found" className={classes.list} tabIndex={-1}>
        {finds.map((find, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field above
          <div
            key={find.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.find}
            onPointerMove={() => setAt(index)}
            onClick={() => run(find)}
          >
            <find.icon size={16} />
            <span className={classes.name}>{find.name}</span>
            {find.note !== undefined && <span className={classes.note}>{find.note}</span>}
            <span className={classes.kind}>{find.kind}</span>
          </div>
        ))}
      </div>
      {finds.length === 0 && <p className={classes.none}>{isSearching ? 'Looking' : 'Nothing has that name.'}</p>}
    </BareDialog>
  )
}

/** What is typed next belongs to the field, however late the timer of the layer comes. */
function focusAtOnce(field: HTMLInputElement | null): void {
  field?.focus()
}
