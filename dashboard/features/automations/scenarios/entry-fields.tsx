import { useId } from 'react'
import { sentence } from '../../../lib/sentence.ts'
import { useSite } from '../../../lib/use-site.ts'
import { Checkbox, IconButton, Select } from '../../../ui/controls.tsx'
import { TrashIcon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { PairsField } from '../builder/pairs-field.tsx'
import { stepName } from '../builder/step-name.ts'
import type { Builder } from '../builder/use-builder.ts'
import { record, text } from '../flow-node.ts'
import { MomentField } from './moment-field.tsx'
import { ENDS, type Entry, kindOf, mailsOf, newEntry, REFUSALS } from './scenario.ts'
import classes from './scenarios.module.css'

type Option = { value: string; label: string }
type Props = {
  entry: Entry
  place: string
  kinds: readonly Option[]
  isExpected: boolean
  /** When its scenario begins. */
  start: string
  builder: Builder
  fault: string | undefined
  autoFocus: boolean
  /** Undefined: it is taken out. */
  onChange: (entry: Entry | undefined) => void
}

const FROM = [
  { value: 'automation', label: 'from this automation' },
  { value: 'everything', label: 'from everything' },
]
const WHENS = [
  { value: 'enters', label: 'comes into it' },
  { value: 'leaves', label: 'goes out of it' },
]

const PRIORITIES = [
  { value: 'low', label: 'of low priority' },
  { value: 'normal', label: 'of normal priority' },
  { value: 'high', label: 'of high priority' },
]

/** One thing that happens, or that is expected, and when. */
export function EntryFields({ entry, place, kinds, isExpected, start, builder, fault, autoFocus, onChange }: Props) {
  const id = useId()
  const kind = kindOf(entry)
  const mails = mailsOf(builder.definition)
  const put = (change: Entry) => onChange({ ...entry, ...change })
  return (
    <div className={classes.entry}>
      <div className={classes.line}>
        <Select
          id={`${id}-kind`}
          label={`${place}: what`}
          hideLabel
          autoFocus={autoFocus}
          options={kinds}
          value={kind}
          onChange={({ currentTarget }) => onChange(ofKind(entry, newEntry(currentTarget.value, mails)))}
        />
        <What id={id} entry={entry} kind={kind} place={place} builder={builder} put={put} />
        <IconButton label={`Remove: ${place}`} icon={TrashIcon} onClick={() => onChange(undefined)} />
      </div>
      {kind === 'event' && (
        <PairsField
          value={record(entry.data)}
          nameLabel="Property"
          valueLabel="Value"
          addLabel="Add a property"
          removeLabel={(name) => `Remove the property ${name}`}
          onChange={(data) => onChange(withData(entry, data))}
        />
      )}
      {isExpected && (
        <Checkbox
          label="At a certain time"
          checked={entry.at !== undefined}
          onChange={({ currentTarget }) => onChange(withMoment(entry, currentTarget.checked ? 'PT1H' : undefined))}
        />
      )}
      {(!isExpected || entry.at !== undefined) && (
        <MomentField
          place={place}
          at={text(entry.at) || 'PT0M'}
          start={start}
          mayBeBefore={kind === 'mailed'}
          onChange={(at) => put({ at })}
        />
      )}
      {fault !== undefined && (
        <p className="field-error" role="alert">
          {sentence(`it ${fault}`)}
        </p>
      )}
    </div>
  )
}

type WhatProps = {
  id: string
  entry: Entry
  kind: string
  place: string
  builder: Builder
  put: (change: Entry) => void
}

function What({ id, entry, kind, place, builder, put }: WhatProps) {
  const options = optionsOf(kind, builder)
  const label = `${place}: which`
  if (kind === 'enroll') return null
  if (options !== undefined) {
    return (
      <Select
        id={`${id}-what`}
        label={label}
        hideLabel
        options={options}
        value={text(entry[kind])}
        onChange={({ currentTarget }) => put({ [kind]: currentTarget.value })}
      />
    )
  }
  if (kind === 'segment') {
    return (
      <>
        <SegmentSelect
          id={`${id}-what`}
          label={label}
          value={text(entry.segment)}
          onChange={(segment) => put({ segment })}
        />
        <Select
          id={`${id}-when`}
          label={`${place}: how`}
          hideLabel
          options={WHENS}
          value={text(entry.when)}
          onChange={({ currentTarget }) => put({ when: currentTarget.value })}
        />
      </>
    )
  }
  return (
    <>
      <TextField
        aria-label={label}
        list={kind === 'event' ? 'scenario-events' : undefined}
        placeholder={PLACEHOLDERS[kind]}
        value={text(entry[kind])}
        onChange={({ currentTarget }) => put({ [kind]: currentTarget.value })}
      />
      {kind === 'mailed' && (
        <Select
          id={`${id}-priority`}
          label={`${place}: priority`}
          hideLabel
          options={PRIORITIES}
          value={text(entry.priority) || 'normal'}
          onChange={({ currentTarget }) => put({ priority: currentTarget.value })}
        />
      )}
    </>
  )
}

type SegmentProps = { id: string; label: string; value: string; onChange: (id: string) => void }
const SEGMENTS_MAX = 500

/** A segment by its name; one that is not there is shown by its number. */
function SegmentSelect({ id, label, value, onChange }: SegmentProps) {
  const segments = useSite('GET /segments', { query: { pageSize: SEGMENTS_MAX } })
  const options = (segments.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))
  const isKnown = options.some((one) => one.value === value)
  const first = isKnown ? [] : [{ value, label: value === '' ? 'Choose a segment' : `Segment ${value}` }]
  return (
    <Select
      {...{ id, label, value }}
      hideLabel
      options={[...first, ...options]}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  event: 'order.paid',
  tag: 'customer',
  untag: 'customer',
  mailed: 'Newsletter',
}

function optionsOf(kind: string, { definition, referenceName }: Builder): readonly Option[] | undefined {
  if (kind === 'end') return ENDS
  if (kind === 'refused') return REFUSALS
  if (kind === 'unsubscribe') return FROM
  if (kind !== 'mail' && kind !== 'click') return undefined
  return mailsOf(definition).map((value) => ({ value, label: stepName(definition, value, referenceName) }))
}

/** An entry of another kind keeps its moment; only mail of others may have come before the beginning. */
function ofKind({ at }: Entry, next: Entry): Entry {
  if (at === undefined || kindOf(next) === 'mailed' || text(at).startsWith('-')) return next
  return { ...next, at }
}

function withMoment({ at: _, ...rest }: Entry, at: string | undefined): Entry {
  return at === undefined ? rest : { ...rest, at }
}

/** Text that is a number, true or false is meant so: properties are compared by their type. */
function withData({ data: _, ...rest }: Entry, data: Record<string, unknown> | undefined): Entry {
  if (data === undefined) return rest
  const typed = Object.entries(data).map(([name, value]) => [name, typedOf(value)])
  return { ...rest, data: Object.fromEntries(typed) }
}

function typedOf(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(value) && String(Number(value)) === value
    ? Number(value)
    : value
}
