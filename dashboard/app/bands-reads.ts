import { leadsToMailbox } from '../features/integrations/leads-to-mailbox.ts'
import { areKnown } from '../lib/use-known.ts'
import { useSite } from '../lib/use-site.ts'

const HELD_POLL_MS = 5_000
const STALE_MS = 60_000

/** The integrations: the default one tells whether mail leaves this machine. Every role may read them. */
const useIntegrations = () => useSite('GET /integrations', { query: { pageSize: 100 } }, { staleMs: STALE_MS })

/** Whether everything is held since a restore, and who may end that. */
export const useRestoration = () =>
  useSite('GET /site/restoration', {}, { staleMs: STALE_MS, pollMs: ({ held }) => held && HELD_POLL_MS })

/** Whether the default integration leads to the mailbox of this machine. */
export function useMailStays(): boolean {
  const standard = useIntegrations().data?.items.find(({ isDefault }) => isDefault)
  return standard !== undefined && leadsToMailbox(standard)
}

/** Whether it is known which bands stand above every page. One that came later would move down what is there to be pressed. */
export const useBandsKnown = (): boolean => areKnown(useIntegrations(), useRestoration())
