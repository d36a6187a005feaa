import type { ContactChange } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'

/**
 * Changes a contact as it was seen. When somebody else was faster the page has read theirs, and the fault says so: the
 * typed text stays where it is, and saving it again is a decision.
 */
export function useChangeContact(contactId: string, etag: string | undefined) {
  const change = useAct('PATCH /contacts/{contactId}', { changes: ['/contacts'] })
  return async (body: ContactChange) => {
    await change.mutateAsync({ params: { contactId }, body, ifMatch: etag })
  }
}
