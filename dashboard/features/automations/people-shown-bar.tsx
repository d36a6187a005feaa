import { dateTimeText } from '../../lib/format.ts'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import classes from './automations.module.css'
import { type PeopleShown, SPANS } from './people-shown.ts'

const LISTED_MAX = 200
/** Somebody else may publish one. */
const POLL_MS = 10_000

/** Which version is shown, where there are several. */
export function VersionSelect({ id, version, show }: Pick<PeopleShown, 'version' | 'show'> & { id: string }) {
  const request = { params: { id }, query: { pageSize: LISTED_MAX } }
  const versions = useSite('GET /automations/{id}/versions', request, { pollMs: POLL_MS }).data?.items ?? []
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

function meaningOf({ counts }: Pick<PeopleShown, 'counts'>): string {
  const passed = counts?.since
    ? `“Passed” and the shares are of those who have left a step since ${dateTimeText(counts.since)}`
    : '“Passed” and the shares are of all who have ever left a step'
  return `${passed}; “here” is who is there now.`
}
