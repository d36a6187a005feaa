import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { conditionsOf, isOfMail, othersOf } from './mail-conditions.ts'
import { MailOfEvent } from './mail-of-event.tsx'
import { eventValue, type EventValue as Value } from './rule-catalogue.ts'
import type { RuleNode } from './rule-tree.ts'
import classes from './segments.module.css'

type Props = { place: string; rule: RuleNode; onChange: (value: unknown) => void }

const COUNTS = [
  { value: 'atLeast', label: 'at least' },
  { value: 'exactly', label: 'exactly' },
  { value: 'atMost', label: 'at most' },
] as const

/** How often something happened, within which time, and in which mail; other conditions on its properties stay as they are. */
export default function EventValue({ place, rule, onChange }: Props) {
  const value = eventValue(rule.value)
  const kind = COUNTS.find((one) => value[one.value] !== undefined)?.value ?? 'atLeast'
  const { atLeast: _a, exactly: _e, atMost: _m, ...others } = value
  const count = value[kind] ?? 1
  const change = (next: Value) =>
    onChange(Object.fromEntries(Object.entries(next).filter(([, one]) => one !== undefined)))
  const { field } = rule
  const more = [
    typeof value.from === 'string' && `since ${value.from}`,
    typeof value.to === 'string' && `until ${value.to}`,
    moreText(othersOf(field, conditionsOf(value.where))),
  ].filter(Boolean)
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
        className={classes.days}
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
      {isOfMail(field) && (
        <MailOfEvent
          place={place}
          field={field}
          where={value.where}
          onChange={(where) => change({ ...value, [kind]: count, where: where.length > 0 ? where : undefined })}
        />
      )}
      {more.length > 0 && <span className="soft">{more.join(', ')}</span>}
    </>
  )
}

const moreText = (count: number) =>
  count > 0 && `and ${count === 1 ? 'one condition' : `${count} conditions`} on its properties`
