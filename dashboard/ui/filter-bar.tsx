import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './controls.tsx'
import classes from './filter-bar.module.css'
import { FilterIcon, SearchIcon, XIcon } from './icons.tsx'

/** Search, filters and what is set of them, in one row above a list. */
export function FilterBar({
  children,
  active = 0,
  onClear,
  end,
}: {
  children: ReactNode
  active?: number
  onClear?: () => void
  end?: ReactNode
}) {
  return (
    <search className={classes.bar}>
      {children}
      {active > 0 && onClear && (
        <Button kind="quiet" onClick={onClear}>
          Clear {active === 1 ? 'filter' : 'filters'}
        </Button>
      )}
      {end !== undefined && <div className={classes.end}>{end}</div>}
    </search>
  )
}

/** Filters and order that a phone shows when it is asked to: the list comes first there. */
export function FoldedFilters({ isSet, children }: { isSet: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(isSet)
  const id = useId()
  return (
    <>
      <span className={classes.phone}>
        <Button icon={FilterIcon} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          Filter and order
        </Button>
      </span>
      <div id={id} className={classes.folded} data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  )
}

const TYPED_MS = 250

/** Text on its way into the address: what is typed is looked for once the fingers rest. */
function useTyped(value: string, onChange: (value: string) => void) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const send = (next: string) => {
    clearTimeout(timer.current)
    sent.current = next.trim()
    onChange(next.trim())
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => send(next), TYPED_MS)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') send(text)
  }
  return { text, type, onKeyDown }
}

type TextFilter = { value: string; onChange: (value: string) => void; label: string; placeholder?: string }

/** The search of a page: `/` leads to it. */
export function SearchField({ value, onChange, label, placeholder = label }: TextFilter) {
  const { text, type, onKeyDown } = useTyped(value, onChange)
  const field = useRef<HTMLInputElement>(null)
  const clear = () => {
    type('')
    field.current?.focus()
  }
  return (
    <div className={classes.search}>
      <SearchIcon size={15} />
      <input
        ref={field}
        type="search"
        data-page-search
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={300}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {text !== '' && (
        <button type="button" aria-label="Clear the search" onClick={clear}>
          <XIcon size={14} />
        </button>
      )}
    </div>
  )
}

/** One filter that is a text of people's own. */
export function FilterText({ value, onChange, label, placeholder = label }: TextFilter) {
  const { text, type, onKeyDown } = useTyped(value, onChange)
  return (
    <div className={classes.text} data-set={value !== '' || undefined}>
      <input
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={300}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  )
}

/** One filter that is a choice among few. */
export function FilterSelect({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly { value: string; label: string }[]
}) {
  return (
    <div className={classes.choice} data-set={value !== '' || undefined}>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{label}: all</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {label}: {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The order of a list, where its columns have no heads to press: on phones. */
export function OrderSelect({
  value,
  onChange,
  options,
}: {
  value: string
  onChange: (value: string) => void
  options: readonly { value: string; label: string }[]
}) {
  return (
    <div className={`${classes.choice} ${classes.phone}`}>
      <select aria-label="Order" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
