import { type ReactNode, useId } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { sentence } from '../../../lib/sentence.ts'
import { Select } from '../../../ui/controls.tsx'
import { record, text } from '../flow-node.ts'
import { useSegments } from '../reference-names.ts'
import { EventFields, type EventProps } from './event-fields.tsx'
import { faultAt } from './fault-places.ts'
import { SignalHeldNow } from './held-now.tsx'
import { PairsField } from './pairs-field.tsx'
import { newRule } from './step-ways.ts'

const DatedWayFields = lazyPart(() => import('./dated-way-fields.tsx'))

const KINDS = [
  { value: 'event', label: 'Something they do' },
  { value: 'enters', label: 'They come into a segment' },
  { value: 'leaves', label: 'They go out of a segment' },
]

const WAITED = [
  { value: 'if', label: 'Something holds for them' },
  { value: 'date', label: 'A date comes' },
]
/** Everything that one kind or the other has. */
const NOTHING = {
  ...{ event: undefined, where: undefined, match: undefined, segment: undefined, when: undefined, if: undefined },
  ...{ date: undefined, repeat: undefined, days: undefined, hours: undefined, minutes: undefined, at: undefined },
  ...{ leapDay: undefined, minProof: undefined, set: undefined },
}

/** `rule`: the form of a rule, where people may wait for one to hold, or for a date. */
type Props = EventProps & { rule?: ReactNode; variables?: readonly string[] }

/** What brings people in, on or out: an event, that they come into a segment or go out of it, or that a rule holds or a date comes. */
export function SignalFields({ rule, ...props }: Props) {
  const { value, onChange } = props
  const id = useId()
  const kind =
    'if' in value ? 'if' : 'date' in value ? 'date' : 'segment' in value ? text(value.when) || 'enters' : 'event'
  const choose = (chosen: string) => {
    if (chosen === 'event') onChange({ ...NOTHING, event: '' })
    else if (chosen === 'if') onChange({ ...NOTHING, if: newRule() })
    else if (chosen === 'date') onChange({ ...NOTHING, date: '' })
    else onChange({ ...NOTHING, segment: text(value.segment), when: chosen })
  }
  return (
    <>
      <Select
        id={`${id}-kind`}
        label="What has to happen"
        value={kind}
        options={rule === undefined ? KINDS : [...KINDS, ...WAITED]}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {kind === 'if' && rule}
      {kind === 'date' && <DatedWayFields {...props} />}
      {kind === 'event' && <EventFields {...props} />}
      {kind === 'event' && rule !== undefined && (
        <PairsField
          value={record(value.set)}
          onChange={(set) => onChange({ set })}
          nameLabel="Variable"
          namePlaceholder="order"
          valueLabel="becomes its property"
          removeLabel={(name) => `Remove the variable ${name}`}
          addLabel="Remember something of it"
          follows
        />
      )}
      {'segment' in value && <SegmentField {...props} />}
      {(kind === 'event' || 'segment' in value) && <SignalHeldNow value={value} />}
    </>
  )
}

function SegmentField({ value, pointer, faults, onChange }: EventProps) {
  const id = useId()
  const segments = useSegments()
  const chosen = text(value.segment)
  const fault = faultAt(faults, `${pointer}/segment`)
  const isListed = chosen === '' || segments.some((one) => one.id === chosen)
  return (
    <Select
      id={`${id}-segment`}
      label="Segment"
      description="Who is in it already when this is activated does not count: only those who come or go from then on."
      value={chosen}
      error={fault && sentence(fault)}
      options={[
        { value: '', label: 'Choose a segment' },
        ...(isListed ? [] : [{ value: chosen, label: `Segment ${chosen}` }]),
        ...segments.map(({ id: segment, name }) => ({ value: segment, label: name })),
      ]}
      onChange={({ currentTarget }) => onChange({ segment: currentTarget.value })}
    />
  )
}
