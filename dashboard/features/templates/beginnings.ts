import type { TemplateSample } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'

type SampleKind = TemplateSample['kind']

/** Something that a mail begins with. `none`: an empty page. */
export type Beginning =
  | { is: 'none'; name: string }
  | { is: 'sample'; name: string; description: string; sample: TemplateSample }
  | { is: 'template'; name: string; description: string; id: string }

/** A part of the gallery, with an address of its own. */
export type BeginningGroup = { key: string; name: string; items: readonly Beginning[] }

export const SAMPLE_GROUPS: Readonly<Record<SampleKind, string>> = {
  newsletter: 'Newsletters',
  announcement: 'Announcements',
  relationship: 'Keeping in touch',
  transactional: 'From your program',
}
const OWN_SHOWN = 100

type Options = {
  /** Kinds of samples that serve here, in their order. */
  kinds: readonly SampleKind[]
  /** Whether the workspace's own templates are among them. */
  own: boolean
}

/** Beginnings by group; groups without anything are left out. Undefined until they are read. */
export function useBeginnings({ kinds, own }: Options) {
  const samples = useSite('GET /templates/samples', {})
  const templates = useSite('GET /templates', { query: { pageSize: OWN_SHOWN } }, { enabled: own })
  const isRead = samples.data !== undefined && (!own || templates.data !== undefined)
  const data: BeginningGroup[] | undefined = isRead
    ? [
        {
          key: 'own',
          name: 'Yours',
          items: (templates.data?.items ?? []).map(({ id, name, subject }) => ({
            is: 'template' as const,
            name,
            description: subject || 'No subject',
            id,
          })),
        },
        ...kinds.map((kind) => ({
          key: kind,
          name: SAMPLE_GROUPS[kind],
          items: (samples.data?.items ?? [])
            .filter((sample) => sample.kind === kind)
            .map((sample) => ({ is: 'sample' as const, name: sample.name, description: sample.description, sample })),
        })),
      ].filter(({ items }) => items.length > 0)
    : undefined
  return {
    data,
    error: samples.error ?? templates.error,
    refetch: () => Promise.all([samples.refetch(), own && templates.refetch()]),
  }
}
