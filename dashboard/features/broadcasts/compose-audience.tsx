import type { UseQueryResult } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { countText, namesText, numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { areKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'
import { Checkbox, Select } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AudienceCount } from './audience-count.tsx'
import type { Written } from './broadcast-draft.ts'
import classes from './compose.module.css'
import { ComposeSection, sectionOf } from './compose-section.tsx'
import type { Fold } from './use-folds.ts'

const CHOICES_SHOWN = 200
/** More are looked for by their name. */
const SEEN_AT_ONCE = 12

/** The segments and topics that it may go to; of segments those that are looked for. */
export function useAudienceChoices() {
  const can = useCan()
  const [search, onSearch] = useState('')
  const query = { pageSize: CHOICES_SHOWN }
  const segments = useSite(
    'GET /segments',
    { query: { ...query, search: search.trim() || undefined } },
    { enabled: can('segments:read'), keep: true },
  )
  const topics = useSite('GET /topics', { query }, { enabled: can('contacts:read') })
  return {
    search: search !== '' || (segments.data?.totalItems ?? 0) > SEEN_AT_ONCE ? { text: search, onSearch } : undefined,
    segments: segments.data?.items ?? [],
    topics: topics.data?.items ?? [],
    isKnown: areKnown(segments, topics),
  }
}

type Props = {
  choices: ReturnType<typeof useAudienceChoices>
  value: Written
  onChange: (change: Partial<Written>) => void
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
  fold: Fold | undefined
}

/** To whom it goes, and how many of them would get it now. */
export function ComposeAudience({
  choices: { segments: found, topics, search },
  value,
  onChange,
  preflight,
  fold,
}: Props) {
  const checks = (preflight.data?.checks ?? []).filter((check) => sectionOf(check) === 'Audience')
  const isEverybody = value.segmentIds.length === 0
  const { audience } = preflight.data ?? {}
  const segments = useChoices(found, value.segmentIds, audience?.segments)
  const excludable = useChoices(found, value.excludedSegmentIds, audience?.excludedSegments)
  return (
    <ComposeSection
      title="Audience"
      checks={checks}
      fold={fold}
      summary={summaryOf(value, [...segments, ...excludable], preflight.data)}
    >
      <div className={classes.fields}>
        <AudienceCount preflight={preflight} topicId={value.topicId} />
        {topics.length > 0 && (
          <Select
            label="Topic"
            description="It reaches those of the audience who want it, and unsubscribing ends the topic alone."
            value={value.topicId ?? ''}
            onChange={(event) => onChange({ topicId: event.currentTarget.value || null })}
            options={[{ value: '', label: 'None' }, ...topics.map(({ id, name }) => ({ value: id, label: name }))]}
          />
        )}
        {search && (
          <TextField
            label="Find segments"
            type="search"
            placeholder="Part of a name"
            value={search.text}
            onChange={(event) => search.onSearch(event.currentTarget.value)}
          />
        )}
        {segments.length === 0 && !search ? (
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
              choices={segments}
              chosen={value.segmentIds}
              onChange={(segmentIds) => onChange({ segmentIds })}
            />
            <SegmentChoice
              legend="But not to"
              hint="Whoever is in one of them is left out."
              choices={excludable}
              chosen={value.excludedSegmentIds}
              onChange={(excludedSegmentIds) => onChange({ excludedSegmentIds })}
            />
          </>
        )}
      </div>
    </ComposeSection>
  )
}

/** To whom, and how many of them would get it: "Clients, but not Staff: 58 would get it now". */
function summaryOf(value: Written, choices: readonly Choice[], found: BroadcastPreflight | undefined): string {
  const namesOf = (ids: readonly string[]) => {
    const names = ids.flatMap((one) => choices.find(({ id }) => id === one)?.name ?? [])
    return names.length === ids.length ? namesText(names) : countText(ids.length, 'segment')
  }
  const { segmentIds, excludedSegmentIds } = value
  const to = segmentIds.length === 0 ? 'Everybody' : namesOf(segmentIds)
  const people = found?.forecast?.sendCount
  return [
    to,
    excludedSegmentIds.length > 0 && `, but not ${namesOf(excludedSegmentIds)}`,
    people !== undefined && `: ${numberText(people)} would get it now`,
  ]
    .filter(Boolean)
    .join('')
}

type Choice = { id: string; name: string }

/**
 * What was found, and before it whatever was chosen on this page and is not among it, by the name that it was last known by: taken away by
 * mistake, it is still there. What was chosen when the page was opened comes first, in sight: the box shows some at a time.
 */
function useChoices(found: readonly Choice[], chosen: readonly string[], named: readonly Choice[] = []): Choice[] {
  const first = useRef(chosen).current
  const names = useRef(new Map<string, string>()).current
  const ever = useRef(new Set<string>()).current
  for (const { id, name } of [...named, ...found]) names.set(id, name)
  for (const id of chosen) ever.add(id)
  const others = [...ever].filter((one) => !found.some(({ id }) => id === one))
  const all = [...others.map((id) => ({ id, name: names.get(id) ?? `Segment ${id}` })), ...found]
  return all.toSorted((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)))
}

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
