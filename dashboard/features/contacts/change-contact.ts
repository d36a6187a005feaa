import { useQueryClient } from '@tanstack/react-query'
import { isProblem } from '../../lib/problem.ts'
import type { ContactChange } from '../../lib/site-types.ts'
import { keyOf, useAct } from '../../lib/use-site.ts'

/**
 * Changes a contact as it was seen. When somebody else was faster the page reads theirs, and the fault says so: the
 * typed text stays where it is, and saving it again is a decision.
 */
export function useChangeContact(contactId: string, etag: string | undefined) {
  const client = useQueryClient()
  const change = useAct('PATCH /contacts/{contactId}', { changes: ['/contacts'] })
  return async (body: ContactChange) => {
    const params = { contactId }
    try {
      await change.mutateAsync({ params, body, ifMatch: etag })
    } catch (error) {
      if (isProblem(error, 412))
        await client.invalidateQueries({ queryKey: keyOf('GET /contacts/{contactId}', { params }) })
      throw error
    }
  }
}
