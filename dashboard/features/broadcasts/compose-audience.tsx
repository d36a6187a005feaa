import type { UseQueryResult } from '@tanstack/react-query'
import { useCan } from '../../lib/permissions.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Checkbox, Select } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { AudienceCount } from './audience-count.tsx'
import type { Written } from './broadcast-draft.ts'
import classes from './compose.module.css'
import { ComposeSection, sectionOf } from './compose-section.tsx'

const SEGMENTS_SHOWN = 200

type Props = {
  value: Written
  onChange: (change: Partial<Written>) => void
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
}

/** To whom it goes, and how many of them would get it now. */
export function ComposeAudience({ value, onChange, preflight }: Props) {
  const can = useCan()
  const segments = useSite('GET /segments', { query: { pageSize: SEGMENTS_SHOWN } }, { enabled: can('segments:read') })
  const choices = segments.data?.items ?? []
  const checks = (preflight.data?.checks ?? []).filter((check) => sectionOf(check) === 'Audience')
  const topics = useSite('GET /topics', { query: { pageSize: SEGMENTS_SHOWN } }, { enabled: can('contacts:read') })
  const isEverybody = value.segmentIds.length === 0
  return (
    <ComposeSection title="Audience" checks={checks}>
      <div className={classes.fields}>
        <AudienceCount preflight={preflight} />
        {(topics.data?.totalItems ?? 0) > 0 && (
          <Select
            label="Topic"
            description="It reaches those of the audience who want it, and unsubscribing ends the topic alone."
            value={value.topicId ?? ''}
            onChange={(event) => onChange({ topicId: event.currentTarget.value || null })}
            options={[
              { value: '', label: 'None' },
              ...(topics.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        {choices.length === 0 ? (
          <p className="soft">
            It goes to every contact with an address. <Link to="/segments">Make a segment</Link> to write to some of
            them.
          </p>
        ) : (
          <>
            <SegmentChoice
              legend="Goes to"
              hint={
                isEverybody ? 'Nothing is chosen: every contact with an address.' : 'Whoever is in any of them, once.'
              }
              choices={choices}
              chosen={value.segmentIds}
              onChange={(segmentIds) => onChange({ segmentIds, excludedSegmentIds: value.excludedSegmentIds })}
            />
            <SegmentChoice
              legend="But not to"
              hint="Whoever is in one of them is left out."
              choices={choices}
              chosen={value.excludedSegmentIds}
              onChange={(excludedSegmentIds) => onChange({ segmentIds: value.segmentIds, excludedSegmentIds })}
            />
          </>
        )}
      </div>
    </ComposeSection>
  )
}

type Choice = { id: string; name: string }

function SegmentChoice({
  legend,
  hint,
  choices,
  chosen,
  onChange,
}: {
  legend: string
  hint: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
}) {
  return (
    <fieldset className={classes.choice}>
      <legend>{legend}</legend>
      <p className="soft">{hint}</p>
      <div className={classes.choices}>
        {choices.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
