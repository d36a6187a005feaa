import { useQueryClient } from '@tanstack/react-query'
import { isProblem } from '../../lib/problem.ts'
import { siteTagged, type Tagged } from '../../lib/site.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { type Draft, useDraft } from '../../lib/use-draft.ts'
import { keyOf } from '../../lib/use-site.ts'

export type Written = Pick<
  Broadcast,
  | 'name'
  | 'subject'
  | 'body'
  | 'text'
  | 'fromName'
  | 'fromEmail'
  | 'integrationId'
  | 'topicId'
  | 'segmentIds'
  | 'excludedSegmentIds'
>

export const writtenOf = (broadcast: Broadcast): Written => ({
  name: broadcast.name,
  subject: broadcast.subject,
  body: broadcast.body,
  text: broadcast.text,
  fromName: broadcast.fromName,
  fromEmail: broadcast.fromEmail,
  integrationId: broadcast.integrationId,
  topicId: broadcast.topicId,
  segmentIds: broadcast.segmentIds,
  excludedSegmentIds: broadcast.excludedSegmentIds,
})

/** Of what this browser keeps of it until the server has it. */
export const draftNameOf = (id: string) => `broadcast ${id}`

/** A broadcast that saves itself while it is written: what it says, and to whom it goes. */
export function useBroadcastDraft(id: string, initial: Tagged<Written>): Draft<Written> {
  const client = useQueryClient()
  const params = { id }
  const take = ({ value, etag }: Tagged<Broadcast>): Tagged<Written> => {
    client.setQueryData([...keyOf('GET /broadcasts/{id}', { params }), 'tagged'], { value, etag })
    return { value: writtenOf(value), etag }
  }
  /** Whoever writes on after somebody else has sent or scheduled it sees at once what it is now, and that the words are not in it. */
  const heedBegun = async () => {
    const there = await siteTagged('GET /broadcasts/{id}', { params })
    if (there.value.status !== 'draft') take(there)
  }
  return useDraft<Written>({
    name: draftNameOf(id),
    initial,
    read: async () => take(await siteTagged('GET /broadcasts/{id}', { params })),
    save: async (change, ifMatch) => {
      try {
        return take(await siteTagged('PATCH /broadcasts/{id}', { params, body: change, ifMatch }))
      } catch (error) {
        if (isProblem(error, 412)) await heedBegun()
        throw error
      }
    },
  })
}
