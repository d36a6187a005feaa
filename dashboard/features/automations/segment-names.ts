import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import type { NameOf } from './node-words.ts'

const SEGMENTS_MAX = 200

/** The workspace's segments, to choose from; not asked for where nothing needs them. */
export function useSegments(isNeeded = true) {
  const can = useCan()
  const read = useSite(
    'GET /segments',
    { query: { pageSize: SEGMENTS_MAX } },
    { enabled: isNeeded && can('segments:read') },
  )
  return read.data?.items ?? []
}

/** Names of the segments that a definition speaks of. */
export function useSegmentNames(definition: unknown): NameOf {
  const segments = useSegments(JSON.stringify(definition).includes('"segment"'))
  return (id) => segments.find((one) => one.id === id)?.name
}
