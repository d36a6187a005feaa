import { countText, namesText } from '../../lib/format.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { Fact } from '../../ui/panel.tsx'

/** The names of those it goes to, of those it leaves out, and of its topic; all of them, however many segments there are. */
export function AudienceFacts({ found, hasFailed }: { found: BroadcastPreflight | undefined; hasFailed: boolean }) {
  if (found === undefined) return <Fact name="Goes to">{hasFailed ? 'Not known' : 'Its people are being counted'}</Fact>
  const { recipientsCount } = found
  const { segments, excludedSegments, topic } = found.audience
  return (
    <>
      <Fact name="Goes to">
        {segments.length === 0 ? 'Every contact with an address' : namesOf(segments)}
        {recipientsCount !== null && ` (${countText(recipientsCount, 'person', 'people')})`}
      </Fact>
      {excludedSegments.length > 0 && <Fact name="But not to">{namesOf(excludedSegments)}</Fact>}
      {topic !== null && <Fact name="Topic">{topic.name}</Fact>}
    </>
  )
}

const namesOf = (named: readonly { name: string }[]) => namesText(named.map(({ name }) => name))
