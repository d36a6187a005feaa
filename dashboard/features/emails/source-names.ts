import { useCan } from '../../lib/permissions.ts'
import type { Email } from '../../lib/site-types.ts'
import { areKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'

/** Broadcasts whose names are known: mail of older ones is told by its kind. */
const BROADCASTS_NAMED = 100
/** All that a workspace may have. */
const AUTOMATIONS_NAMED = 500

type Source = Pick<Email, 'broadcastId' | 'automationId'>
export type SourceNameOf = (message: Source) => string | undefined

/** Names of the newest broadcasts and of all automations: their messages keep no subject of their own. `isKnown` is for what stands above others. */
export function useSourceNames(): { nameOf: SourceNameOf; isKnown: boolean } {
  const can = useCan()
  const broadcasts = useSite(
    'GET /broadcasts',
    { query: { sort: '-id', pageSize: BROADCASTS_NAMED } },
    { enabled: can('broadcasts:read') },
  )
  const automations = useSite(
    'GET /automations',
    { query: { pageSize: AUTOMATIONS_NAMED } },
    { enabled: can('automations:read') },
  )
  return {
    nameOf: ({ broadcastId, automationId }) =>
      broadcastId === null
        ? automations.data?.items.find(({ id }) => id === automationId)?.name
        : broadcasts.data?.items.find(({ id }) => id === broadcastId)?.name,
    isKnown: areKnown(broadcasts, automations),
  }
}
