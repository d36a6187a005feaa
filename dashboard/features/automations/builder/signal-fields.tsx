import { useId } from 'react'
import { Select } from '../../../ui/controls.tsx'
import { sentence } from '../../../ui/form.ts'
import { text } from '../flow-node.ts'
import { useSegments } from '../segment-names.ts'
import { EventFields, type EventProps } from './event-fields.tsx'
import { faultAt } from './fault-places.ts'

const KINDS = [
  { value: 'event', label: 'Something they do' },
  { value: 'enters', label: 'They come into a segment' },
  { value: 'leaves', label: 'They go out of a segment' },
]

/** What brings people in, on or out: an event, or that they come into a segment or go out of it. */
export function SignalFields(props: EventProps) {
  const { value, onChange } = props
  const id = useId()
  const isSegment = 'segment' in value
  const choose = (kind: string) => {
    if (kind === 'event') onChange({ segment: undefined, when: undefined, event: '' })
    else onChange({ event: undefined, where: undefined, match: undefined, segment: text(value.segment), when: kind })
  }
  return (
    <>
      <Select
        id={`${id}-kind`}
        label="What has to happen"
        value={isSegment ? text(value.when) || 'enters' : 'event'}
        options={KINDS}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {isSegment ? <SegmentField {...props} /> : <EventFields {...props} />}
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
