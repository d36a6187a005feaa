import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { isProblem } from '../lib/problem.ts'
import { keyOf } from '../lib/use-site.ts'

const STALE_MS = 5_000
/** Who is here, and what they may do. */
const HERE = [keyOf('GET /'), keyOf('GET /site/auth/session')]
/** Refusals by which that may be another than the page knows: of a role, and of somebody who belongs to the workspace no more. */
const REFUSALS = [403, 404]

/** Repeats are the business of `lib/site.ts`, which knows when the server wants to be asked again. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => lookWhoIsHere(error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => lookWhoIsHere(error) }),
  defaultOptions: {
    queries: { retry: false, staleTime: STALE_MS, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Somebody may have changed the role of whoever looks at the page, or have removed them: it offers what they may do now. */
function lookWhoIsHere(error: unknown, of?: QueryKey): void {
  if (!REFUSALS.some((status) => isProblem(error, status)) || HERE.some(([path]) => path === of?.[0])) return
  const isOld = (ms: number) => Date.now() - ms > STALE_MS
  for (const queryKey of HERE) {
    const state = queries.getQueryState(queryKey)
    if (state && isOld(Math.max(state.dataUpdatedAt, state.errorUpdatedAt))) void queries.refetchQueries({ queryKey })
  }
}
