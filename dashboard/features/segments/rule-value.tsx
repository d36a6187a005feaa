import { useId } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { FieldEntry, ValueKind } from './rule-catalogue.ts'
import { type RuleNode, valueText } from './rule-tree.ts'
import classes from './segments.module.css'

/** Rules about events have most to choose, and most rules are about none. */
export const EventValue = lazyPart(() => import('./event-value.tsx'))
export const NamedValue = lazyPart(() => import('./named-value.tsx'))

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
  if (kind === 'event') return <EventValue {...props} />
  if (kind === 'tag') return <TagValue label={label} text={text} onChange={onChange} />
  if (kind === 'segment' || kind === 'topic')
    return <NamedValue kind={kind} label={label} text={text} onChange={onChange} />
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
