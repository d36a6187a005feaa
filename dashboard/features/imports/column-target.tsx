import { useState } from 'react'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import classes from './imports.module.css'

const TARGETS = [
  { value: 'ignore', label: 'Nowhere' },
  { value: 'email', label: 'Email' },
  { value: 'firstName', label: 'First name' },
  { value: 'lastName', label: 'Last name' },
  { value: 'fullName', label: 'Whole name' },
  { value: 'phone', label: 'Phone' },
  { value: 'subjectId', label: 'Your id' },
  { value: 'timeZone', label: 'Time zone' },
  { value: 'tags', label: 'Tags' },
  { value: 'topics', label: 'Topics' },
  { value: 'customFields', label: 'Custom fields, as JSON' },
  { value: 'consent:status', label: 'Consent: status' },
  { value: 'consent:optInTime', label: 'Consent: asked at' },
  { value: 'consent:optInIp', label: 'Consent: asked from' },
  { value: 'consent:confirmTime', label: 'Consent: confirmed at' },
  { value: 'consent:confirmIp', label: 'Consent: confirmed from' },
  { value: 'consent:unsubscribeTime', label: 'Consent: unsubscribed (when, or yes)' },
  { value: 'consent:cleanTime', label: 'Consent: bounced (when, or yes)' },
]
const CUSTOM = 'custom:'
const NEW = 'new-field'

type Props = { column: string; target: string; known: readonly string[]; onChange: (target: string) => void }

/** Where a column goes: a field there is, a new one, or nowhere. */
export function ColumnTarget({ column, target, known, onChange }: Props) {
  const [isNew, setNew] = useState(false)
  const key = target.startsWith(CUSTOM) ? target.slice(CUSTOM.length) : undefined
  const isNamed = isNew || (key !== undefined && !known.includes(key))
  const options = [
    ...TARGETS,
    ...known.map((name) => ({ value: `${CUSTOM}${name}`, label: `Field: ${name}` })),
    { value: NEW, label: 'A new custom field' },
  ]
  const choose = (value: string) => {
    setNew(value === NEW)
    onChange(value === NEW ? `${CUSTOM}${keyOf(column)}` : value)
  }
  return (
    <div className={classes.target}>
      <Select
        id={`target-${column}`}
        label={`Where ${column} goes`}
        hideLabel
        value={isNamed ? NEW : target}
        options={options}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {isNamed && (
        <TextField
          aria-label={`Key of the new field for ${column}`}
          value={key ?? ''}
          onChange={(event) => {
            setNew(true)
            onChange(`${CUSTOM}${event.currentTarget.value}`)
          }}
        />
      )}
    </div>
  )
}

function keyOf(column: string): string {
  return (
    column
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_|_$/g, '') || 'field'
  )
}
