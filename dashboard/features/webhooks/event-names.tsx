import { SYSTEM_EVENTS } from '../../lib/catalogue.ts'
import { countText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { NamesField } from '../../ui/names-field.tsx'

const NAMED_MAX = 3

/** The events of an endpoint in a few words. */
export function eventNamesText(names: readonly string[]): string {
  if (names.length === 0) return 'All events'
  return names.length <= NAMED_MAX ? names.join(', ') : countText(names.length, 'event')
}

type Props = {
  isAll: boolean
  names: readonly string[]
  onChange: (change: { isAll?: boolean; names?: string[] }) => void
  error: string | undefined
}

/** All events, or those that are named: the system's own, and what the workspace's programs record. */
export function EventNamesField({ isAll, names, onChange, error }: Props) {
  return (
    <>
      <ChoiceField
        label="Events"
        value={isAll ? 'all' : 'some'}
        onChange={(value) => onChange({ isAll: value === 'all' })}
        choices={[
          { value: 'all', label: 'All events', description: 'Those of days to come too.' },
          { value: 'some', label: 'Only these', description: 'Exact names.' },
        ]}
      />
      {!isAll && <Names names={names} onChange={(next) => onChange({ names: next })} error={error} />}
    </>
  )
}

function Names({
  names,
  onChange,
  error,
}: {
  names: readonly string[]
  onChange: (names: string[]) => void
  error: string | undefined
}) {
  const can = useCan()
  const recorded = useSite('GET /events/actions', {}, { enabled: can('events:read') })
  const known = [...SYSTEM_EVENTS, ...(recorded.data?.items ?? []).map(({ action }) => action)]
  return (
    <NamesField
      label="Names"
      placeholder="order.paid"
      value={names}
      known={[...new Set(known)]}
      error={error}
      onChange={onChange}
    />
  )
}
