import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { keyOf } from '../../lib/use-site.ts'

/** The look at a draft before it is sent, taken anew for each state of it that was saved. */
export function usePreflight(id: string, etag: string | undefined): UseQueryResult<BroadcastPreflight, SiteProblem> {
  const params = { id }
  return useQuery<BroadcastPreflight, SiteProblem>({
    queryKey: [...keyOf('GET /broadcasts/{id}/preflight', { params }), etag],
    queryFn: ({ signal }) => site('GET /broadcasts/{id}/preflight', { params, signal }),
    placeholderData: keepPreviousData,
  })
}
