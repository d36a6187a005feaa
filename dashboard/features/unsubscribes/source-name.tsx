import { useSite } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'

const KNOWN_FOR_MS = 60_000
const WORDS: Readonly<Record<string, string>> = {
  everything: 'all marketing mail',
  automations: 'automated series',
}

/** The mail that somebody wants or does not want, by its name: a topic, an automation, or a kind. */
export function SourceName({ source }: { source: string }) {
  const [kind = '', id] = source.split(':')
  if (id === undefined) return <>{WORDS[kind] ?? kind}</>
  if (kind === 'topic') return <TopicName id={id} />
  if (kind === 'automation') return <AutomationName id={id} />
  return (
    <>
      {kind} {id}
    </>
  )
}

function TopicName({ id }: { id: string }) {
  const { data } = useSite('GET /topics/{id}', { params: { id } }, { staleMs: KNOWN_FOR_MS })
  return <>{data === undefined ? `topic ${id}` : `“${data.name}”`}</>
}

function AutomationName({ id }: { id: string }) {
  const { data } = useSite('GET /automations/{id}', { params: { id } }, { staleMs: KNOWN_FOR_MS })
  return data === undefined ? <>automation {id}</> : <Link to={`/automations/${id}`}>“{data.name}”</Link>
}
