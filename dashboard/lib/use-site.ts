import {
  keepPreviousData,
  type Query,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { loadPart } from './load-part.ts'
import type { SiteProblem } from './problem.ts'
import { type AnswerOf, newKey, type Operation, type RequestOf, site, siteTagged, type Tagged } from './site.ts'

/** Everything that was read under a path, `/contacts` or `/contacts/{contactId}`; what changes it makes that stale. */
export function keyOf(operation: Operation, request: object = {}): QueryKey {
  const { params, query } = request as { params?: object; query?: object }
  return [operation.slice(operation.indexOf(' ') + 1), params ?? {}, query ?? {}]
}

type Options<T = unknown> = {
  enabled?: boolean
  /** Asks again so often while the page is seen, or as often as what was read says; false ends it. */
  pollMs?: number | false | ((data: T) => number | false)
  /** What was there is shown until the next page has come. */
  keep?: boolean
  staleMs?: number
}

export function siteQuery<K extends Operation>(operation: K, request: RequestOf<K>) {
  return {
    queryKey: keyOf(operation, request),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<AnswerOf<K>> => site(operation, { ...request, signal }),
  }
}

/** What the server says, kept up to date: `useSite('GET /contacts', { query })`. */
export function useSite<K extends Operation>(
  operation: K,
  request: RequestOf<K>,
  { enabled = true, pollMs = false, keep = false, staleMs }: Options<AnswerOf<K>> = {},
): UseQueryResult<AnswerOf<K>, SiteProblem> {
  return useQuery<AnswerOf<K>, SiteProblem>({
    ...siteQuery(operation, request),
    enabled,
    refetchInterval:
      typeof pollMs === 'function'
        ? ({ state: { data } }: { state: { data?: AnswerOf<K> } }) => data !== undefined && pollMs(data)
        : pollMs,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  } as never)
}

export function siteTaggedQuery<K extends Operation>(operation: K, request: RequestOf<K>) {
  return {
    queryKey: [...keyOf(operation, request), 'tagged'],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Tagged<AnswerOf<K>>> =>
      siteTagged(operation, { ...request, signal }),
  }
}

/** The same with the entity tag. */
export function useSiteTagged<K extends Operation>(
  operation: K,
  request: RequestOf<K>,
  { pollMs = false }: { pollMs?: number | false } = {},
): UseQueryResult<Tagged<AnswerOf<K>>, SiteProblem> {
  return useQuery<Tagged<AnswerOf<K>>, SiteProblem>({
    ...siteTaggedQuery(operation, request),
    refetchInterval: pollMs,
  })
}

/** What a list by cursor answers. */
type CursorList = { items: readonly unknown[]; nextCursor?: string }

/** A list by cursor, as far as it was asked for: `items` of all its pages, and `more` while there are any. */
export function useSitePages<K extends Operation>(
  operation: AnswerOf<K> extends CursorList ? K : never,
  request: RequestOf<K>,
  { enabled = true, pollMs = false }: { enabled?: boolean; pollMs?: number | false } = {},
) {
  type Item = AnswerOf<K> extends { items: readonly (infer One)[] } ? One : never
  const pages = useInfiniteQuery<CursorList, SiteProblem, Item[], QueryKey, string | undefined>({
    queryKey: [...keyOf(operation, request), 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const { query } = request as { query?: object }
      const next = {
        ...request,
        query: { ...query, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        signal,
      }
      return site(operation as Operation, next as never) as Promise<CursorList>
    },
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: (data) => data.pages.flatMap(({ items }) => items) as Item[],
    enabled,
    refetchInterval: pollMs,
  })
  const more = pages.hasNextPage ? { busy: pages.isFetchingNextPage, show: () => pages.fetchNextPage() } : undefined
  return { ...pages, more }
}

/**
 * An act on the server. Paths in `changes` are read anew once it is done: `/contacts` with all below it. While no answer is
 * heard, what is sent again is the same act, however often somebody presses; after an answer, or with other content, it is another.
 */
export function useAct<K extends Operation>(operation: K, { changes = [] }: { changes?: readonly string[] } = {}) {
  const client = useQueryClient()
  const unheard = useRef({ text: '', idempotencyKey: '' })
  return useMutation<Tagged<AnswerOf<K>>, SiteProblem, RequestOf<K>>({
    mutationFn: (request) => {
      const text = JSON.stringify(request)
      const isFirst = unheard.current.text !== text
      if (isFirst) unheard.current = { text, idempotencyKey: newKey() }
      const { idempotencyKey } = unheard.current
      return siteTagged(operation, { ...request, idempotencyKey }).catch(async (problem: SiteProblem) => {
        if (isFirst || problem.status !== 412) throw problem
        const { alreadyThere } = await loadPart(() => import('./already-there.ts'))
        return alreadyThere(problem, request.body, () =>
          siteTagged(operation.replace('PATCH', 'GET') as K, { params: request.params } as RequestOf<K>),
        )
      })
    },
    onSettled: async (_answer, problem, { params }) => {
      if (problem?.passes) return undefined
      unheard.current.text = ''
      // Refused for what is there now, which the page may not show yet: it is there when the refusal is heard.
      const isOther = !problem || problem.status === 409 || problem.status === 412
      if (!isOther) return
      const gone = !problem && operation.startsWith('DELETE ') ? keyOf(operation, { params }) : undefined
      await Promise.all(changes.map((path) => refresh(client, path, gone)))
    },
  })
}

/** Reads anew whatever was read under a path; what tells of something `gone`, whose page is about to be left, when it is shown again. */
export function refresh(client: ReturnType<typeof useQueryClient>, path: string, gone?: QueryKey): Promise<void> {
  const isUnder = ({ queryKey: [key] }: Query) => typeof key === 'string' && `${key}/`.startsWith(`${path}/`)
  void client.invalidateQueries({ predicate: isUnder, refetchType: 'none' })
  return client.refetchQueries({ type: 'active', predicate: (query) => isUnder(query) && !isOf(gone, query) })
}

/** What tells of a version of it is of it, too. */
function isOf(gone: QueryKey | undefined, { queryKey: [key, params] }: Query): boolean {
  if (gone === undefined || !String(key).startsWith(String(gone[0]))) return false
  const own = Object(params) as Record<string, unknown>
  return Object.entries(Object(gone[1])).every(([name, value]) => own[name] === value)
}
