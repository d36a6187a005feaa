import type { QueryOf } from '../../lib/site.ts'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { thingText } from './act-words.ts'
import { ACTOR_KINDS } from './actor-kind.ts'
import classes from './audit.module.css'
import { TARGET_TYPES } from './target-types.ts'

export const NO_FILTER = {
  action: '',
  actorKind: '',
  actorId: '',
  targetType: '',
  targetId: '',
  ip: '',
  requestId: '',
  from: '',
  to: '',
}
export type AuditFilter = typeof NO_FILTER

/** As the server takes it; a day begins where the reader is. */
export function queryOf(filter: AuditFilter): QueryOf<'GET /audit-entries'> {
  const { from, to, actorKind, ...texts } = filter
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''))
  return {
    ...given,
    ...(actorKind === '' ? {} : { actorKind: actorKind as 'user' }),
    ...(from === '' ? {} : { from: dayStart(from, 0) }),
    ...(to === '' ? {} : { to: dayStart(to, 1) }),
  }
}

function dayStart(day: string, daysOn: number): string {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + daysOn)
  return date.toISOString()
}

/** All nine filters: the usual ones in a row, the others behind one word. */
export function AuditFilters({
  value,
  active,
  onChange,
}: {
  value: AuditFilter
  active: number
  onChange: (change: Partial<AuditFilter>, options?: { replace?: boolean }) => void
}) {
  const text = (name: 'actorId' | 'targetId' | 'ip' | 'requestId', label: string) => (
    <TextField
      label={label}
      value={value[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value }, { replace: true })}
    />
  )
  const day = (name: 'from' | 'to', label: string) => (
    <TextField
      type="date"
      label={label}
      value={value[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value }, { replace: true })}
    />
  )
  return (
    <>
      <FilterBar active={active} onClear={() => onChange(NO_FILTER)}>
        <SearchField
          label="Action"
          placeholder="Action as an entry has it: contact.create"
          value={value.action}
          onChange={(action) => onChange({ action }, { replace: true })}
        />
        <FilterSelect
          label="By"
          value={value.actorKind}
          onChange={(actorKind) => onChange({ actorKind })}
          options={Object.entries(ACTOR_KINDS).map(([kind, label]) => ({ value: kind, label: label.toLowerCase() }))}
        />
        <FilterSelect
          label="About"
          value={value.targetType}
          onChange={(targetType) => onChange({ targetType })}
          options={[...new Set([...TARGET_TYPES, value.targetType])]
            .filter((type) => type !== '')
            .map((type) => ({ value: type, label: thingText(type) }))}
        />
      </FilterBar>
      <details className={classes.more} open={hasMore(value) || undefined}>
        <summary>More filters: day, id, IP address, request</summary>
        <div className={classes.moreFields}>
          {day('from', 'From')}
          {day('to', 'To')}
          {text('actorId', 'Id of who')}
          {text('targetId', 'Id of what')}
          {text('ip', 'IP address')}
          {text('requestId', 'Request id')}
        </div>
      </details>
    </>
  )
}

function hasMore({ from, to, actorId, targetId, ip, requestId }: AuditFilter): boolean {
  return [from, to, actorId, targetId, ip, requestId].some((value) => value !== '')
}
