import { QueryClient } from '@tanstack/react-query'

const STALE_MS = 5_000

/** Repeats are the business of `lib/site.ts`, which knows when the server wants to be asked again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: STALE_MS, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})
