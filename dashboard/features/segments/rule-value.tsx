import { useId } from 'react'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type EventValue, eventValue, type FieldEntry, type ValueKind } from './rule-catalogue.ts'
import { type RuleNode, valueText } from './rule-tree.ts'
import classes from './segments.module.css'

type Props = {
  place: string
  kind: ValueKind
  rule: RuleNode
  choices?: FieldEntry['choices']
  onChange: (value: unknown) => void
}

/** The value of a rule, in the field that fits its kind. */
export function RuleValue(props: Props) {
  const { place, kind, rule, choices, onChange } = props
  const label = `Value of rule ${place}`
  const text = valueText(rule.value)
  if (kind === 'event') return <EventCount {...props} />
  if (kind === 'tag') return <TagValue label={label} text={text} onChange={onChange} />
  if (kind === 'segment') return <SegmentValue label={label} text={text} onChange={onChange} />
  if (choices !== undefined) {
    return (
      <Select
        id={`value-${place}`}
        label={label}
        hideLabel
        value={text}
        options={[{ value: '', label: 'Choose one' }, ...choices]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  if (kind === 'boolean') {
    return (
      <Select
        id={`value-${place}`}
        label={label}
        hideLabel
        value={text}
        options={[
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  const isDays = /Days$/.test(rule.operator)
  const isList = /^(in|notIn|between|notBetween)$/.test(rule.operator)
  const type =
    isDays || (kind === 'number' && !isList)
      ? 'number'
      : (kind === 'time' || kind === 'date') && !isList
        ? 'date'
        : 'text'
  return (
    <TextField
      className={classes.value}
      aria-label={label}
      type={type}
      step="any"
      placeholder={isDays ? 'days' : isList ? 'with, commas' : kind === 'time' || kind === 'date' ? '2026-01-31' : ''}
      value={type === 'date' ? text.slice(0, 10) : text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

type TextProps = { label: string; text: string; onChange: (value: string) => void }
const CHOICES_MAX = 500

function TagValue({ label, text, onChange }: TextProps) {
  const tags = useSite('GET /tags', { query: { pageSize: CHOICES_MAX } })
  const listId = useId()
  return (
    <>
      <TextField
        className={classes.value}
        aria-label={label}
        placeholder="VIP"
        value={text}
        list={listId}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {tags.data?.items.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  )
}

function SegmentValue({ label, text, onChange }: TextProps) {
  const segments = useSite('GET /segments', { query: { pageSize: CHOICES_MAX } })
  const options = (segments.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      id={label.replaceAll(/\W+/g, '-')}
      label={label}
      hideLabel
      value={text}
      options={[{ value: '', label: 'Choose a segment' }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const COUNTS = [
  { value: 'atLeast', label: 'at least' },
  { value: 'exactly', label: 'exactly' },
  { value: 'atMost', label: 'at most' },
] as const

/** How often something happened, and within which time; conditions on its properties stay as they are. */
function EventCount({ place, rule, onChange }: Props) {
  const value = eventValue(rule.value)
  const kind = COUNTS.find((one) => value[one.value] !== undefined)?.value ?? 'atLeast'
  const { atLeast: _a, exactly: _e, atMost: _m, ...others } = value
  const count = value[kind] ?? 1
  const change = (next: EventValue) =>
    onChange(Object.fromEntries(Object.entries(next).filter(([, one]) => one !== undefined)))
  const where = Array.isArray(value.where) ? value.where.length : 0
  return (
    <>
      <Select
        id={`count-kind-${place}`}
        label={`Kind of count of rule ${place}`}
        hideLabel
        value={kind}
        options={COUNTS}
        onChange={(event) => change({ ...others, [event.currentTarget.value]: count })}
      />
      <TextField
        className={classes.number}
        aria-label={`Times, of rule ${place}`}
        type="number"
        min={0}
        value={String(count)}
        rightSection={<span className={classes.unit}>times</span>}
        rightSectionWidth={52}
        onChange={(event) => change({ ...others, [kind]: Number(event.currentTarget.value) })}
      />
      <TextField
        className={classes.number}
        aria-label={`Within so many days, of rule ${place}; empty is ever`}
        type="number"
        min={1}
        placeholder="any"
        leftSection={<span className={classes.unit}>within</span>}
        leftSectionWidth={52}
        value={value.withinLastDays === undefined ? '' : String(value.withinLastDays)}
        rightSection={<span className={classes.unit}>days</span>}
        rightSectionWidth={48}
        onChange={(event) => {
          const { value: days } = event.currentTarget
          change({ ...value, [kind]: count, withinLastDays: days === '' ? undefined : Number(days) })
        }}
      />
      {where > 0 && (
        <span className="soft">and {where === 1 ? 'one condition' : `${where} conditions`} on its properties</span>
      )}
    </>
  )
}
