import { useQuery } from '@tanstack/react-query'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { TemplatePreview } from '../../lib/site-types.ts'
import type { Beginning } from './beginnings.ts'

/** The mail that comes of it for a sample person, once `isWanted`. */
export function useBeginningPreview(beginning: Beginning, isWanted: boolean) {
  return useQuery<TemplatePreview | null, SiteProblem>({
    queryKey: ['preview of a beginning', beginning.is, keyOf(beginning)],
    queryFn: ({ signal }) => previewOf(beginning, signal),
    enabled: isWanted && beginning.is !== 'none',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

function keyOf(beginning: Beginning): string {
  if (beginning.is === 'template') return beginning.id
  return beginning.is === 'sample' ? beginning.sample.body : ''
}

async function previewOf(beginning: Beginning, signal: AbortSignal): Promise<TemplatePreview | null> {
  if (beginning.is === 'template') {
    return site('POST /templates/{id}/preview', { params: { id: beginning.id }, body: {}, signal })
  }
  if (beginning.is === 'none') return null
  const { subject, body, variables } = beginning.sample
  return site('POST /templates/preview', { body: { subject, body, variables }, signal })
}

/** What is written with it: subject, body and text part. */
export async function contentOf(beginning: Beginning) {
  if (beginning.is === 'none') return {}
  const { subject, body, text } =
    beginning.is === 'sample' ? beginning.sample : await site('GET /templates/{id}', { params: { id: beginning.id } })
  return { subject, body, text }
}
