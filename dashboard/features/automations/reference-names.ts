import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { record, text } from './flow-node.ts'
import type { NameOf, Referred } from './rule-words.ts'

const LISTED_MAX = 200

/** The workspace's segments, to choose from; not asked for where nothing needs them. */
export function useSegments(isNeeded = true) {
  const can = useCan()
  const read = useSite(
    'GET /segments',
    { query: { pageSize: LISTED_MAX } },
    { enabled: isNeeded && can('segments:read') },
  )
  return read.data?.items ?? []
}

/** Names of what a definition refers to; lists are read as far as it has to do with them. */
export function useReferenceNames(definition: unknown): NameOf {
  const can = useCan()
  const json = JSON.stringify(definition)
  const segments = useSegments(json.includes('"segment"'))
  const query = { pageSize: LISTED_MAX }
  const templates = useSite(
    'GET /templates',
    { query },
    { enabled: json.includes('"template":') && can('templates:read') },
  )
  const automations = useSite(
    'GET /automations',
    { query },
    { enabled: json.includes('"automation":') && can('automations:read') },
  )
  const endpoints = useSite(
    'GET /webhooks',
    { query },
    { enabled: json.includes('"endpoint":') && can('webhooks:read') },
  )
  const named: Readonly<Record<Referred, readonly { id: string; name: string }[]>> = {
    mail: json.includes('"clicked"') ? mailsOf(definition) : [],
    segment: segments,
    template: templates.data?.items ?? [],
    automation: automations.data?.items ?? [],
    endpoint: (endpoints.data?.items ?? []).map(({ id, url }) => ({ id, name: url })),
  }
  return (id, kind = 'segment') => named[kind].find((one) => one.id === id)?.name
}

/** Mails of a definition, or of several, by their subjects. */
function mailsOf(definition: unknown): { id: string; name: string }[] {
  const all = Array.isArray(definition) ? definition : [definition]
  return all.flatMap((one) =>
    Object.entries(record(record(one).nodes)).flatMap(([id, node]) => {
      const subject = text(record(node).subject)
      return subject === '' ? [] : [{ id, name: subject }]
    }),
  )
}
