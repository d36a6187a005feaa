import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLastDays } from '../../../lib/last-days.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { areKnown } from '../../../lib/use-known.ts'
import { keyOf, useSite } from '../../../lib/use-site.ts'
import { record, text } from '../flow-node.ts'

const POLL_MS = 30_000
/** What is compared looks at the events of up to a hundred thousand. */
const COMPARED_MS = 300_000

/**
 * What came of those who came in, in the time that the address names; the empty version is all. Where some are held out from what has
 * a goal, also what it has changed. `entered` is how many have come in by what the page says elsewhere.
 */
export function useResults(
  { id, definition, publishedVersion }: Automation,
  version: string,
  entered: number | undefined,
) {
  const { query } = useLastDays()
  const params = { id }
  const request = { params, query: { ...query, ...(version === '' ? {} : { version: Number(version) }) } }
  const enabled = publishedVersion !== null
  const results = useSite('GET /automations/{id}/results', request, { enabled, keep: true, pollMs: POLL_MS })
  const goal = text(record(definition.goal).event)
  const isCompared = goal !== '' && (results.data?.totals.heldOut ?? 0) > 0
  const { from } = query
  const lift = useSite(
    'GET /automations/{id}/lift',
    { params, query: { from } },
    { enabled: isCompared, keep: true, pollMs: COMPARED_MS },
  )
  useReadWith(id, entered)
  return { results, goal, lift: isCompared ? lift.data : undefined, isKnown: areKnown(results, lift) }
}

/** Reads the results anew whenever somebody has come in, so that no two numbers of a page are of different moments. */
function useReadWith(id: string, entered: number | undefined): void {
  const client = useQueryClient()
  const last = useRef(entered)
  useEffect(() => {
    const isNew = last.current !== undefined && entered !== undefined && entered !== last.current
    last.current = entered ?? last.current
    const [path, params] = keyOf('GET /automations/{id}/results', { params: { id } })
    if (isNew) void client.invalidateQueries({ queryKey: [path, params] })
  }, [client, id, entered])
}
