import { dateTimeText } from '../../lib/format.ts'
import type { AutomationCounts } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Select } from '../../ui/controls.tsx'
import classes from './automations.module.css'

const SPANS = [
  { value: '24h', label: 'The last 24 hours' },
  { value: '7d', label: 'The last 7 days' },
  { value: '30d', label: 'The last 30 days' },
] as const

export type PeopleShown = {
  /** Empty: all. */
  version: string
  last: '' | (typeof SPANS)[number]['value']
  /** Of that version and time. */
  counts: AutomationCounts | undefined
  show: (change: { version?: string; last?: string }) => void
}

/** The people of the version and time that the address names. */
export function usePeopleShown(id: string, pollMs: number): PeopleShown {
  const [url, setUrl] = useUrlState({ version: '', last: '' })
  const version = /^[1-9][0-9]{0,8}$/.test(url.version) ? url.version : ''
  const last = SPANS.find(({ value }) => value === url.last)?.value ?? ''
  const query = last === '' ? {} : { last }
  const { data } = useSite('GET /automations/{id}/counts', { params: { id }, query }, { keep: true, pollMs })
  const counts =
    data && version !== '' ? { ...data, nodes: data.nodes.filter((one) => String(one.version) === version) } : data
  return { version, last, counts, show: (change) => setUrl(change, { replace: true }) }
}

/** Which version is shown, where there are several. */
export function VersionSelect({ id, version, show }: Pick<PeopleShown, 'version' | 'show'> & { id: string }) {
  const versions = useSite('GET /automations/{id}/versions', { params: { id } }).data?.items ?? []
  if (versions.length < 2 && version === '') return null
  const options = versions.map((one) => ({ value: String(one.version), label: `Version ${one.version}` }))
  return (
    <Select
      label="Version"
      hideLabel
      value={version}
      options={[{ value: '', label: 'All versions' }, ...options]}
      onChange={(event) => show({ version: event.currentTarget.value })}
    />
  )
}

export function SpanSelect({ last, show }: Pick<PeopleShown, 'last' | 'show'>) {
  return (
    <Select
      label="Who has passed"
      hideLabel
      value={last}
      options={[{ value: '', label: 'Of all time' }, ...SPANS]}
      onChange={(event) => show({ last: event.currentTarget.value })}
    />
  )
}

/** The choice of whom the numbers at the steps are, and what they say. */
export function PeopleShownBar({ id, people }: { id: string; people: PeopleShown }) {
  return (
    <div className={classes.shown}>
      <VersionSelect id={id} {...people} />
      <SpanSelect {...people} />
      <p className="soft">{meaningOf(people)}</p>
    </div>
  )
}

export function meaningOf({ counts }: Pick<PeopleShown, 'counts'>): string {
  const passed = counts?.since
    ? `“Passed” and the shares are of those who have left a step since ${dateTimeText(counts.since)}`
    : '“Passed” and the shares are of all who have ever left a step'
  return `${passed}; “here” is who is there now.`
}
