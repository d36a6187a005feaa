import { useLastDays } from '../../../lib/last-days.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { areKnown } from '../../../lib/use-known.ts'
import { useSite } from '../../../lib/use-site.ts'
import { record, text } from '../flow-node.ts'

const POLL_MS = 30_000

/**
 * What came of those who came in, in the time that the address names; the empty version is all. Where some are held out from what has
 * a goal, also what it has changed.
 */
export function useResults({ id, definition, publishedVersion }: Automation, version: string) {
  const { query } = useLastDays()
  const params = { id }
  const request = { params, query: { ...query, ...(version === '' ? {} : { version: Number(version) }) } }
  const enabled = publishedVersion !== null
  const results = useSite('GET /automations/{id}/results', request, { enabled, keep: true, pollMs: POLL_MS })
  const goal = text(record(definition.goal).event)
  const isCompared = goal !== '' && (results.data?.totals.heldOut ?? 0) > 0
  const { from } = query
  const lift = useSite('GET /automations/{id}/lift', { params, query: { from } }, { enabled: isCompared, keep: true })
  return { results, goal, lift: isCompared ? lift.data : undefined, isKnown: areKnown(results, lift) }
}
