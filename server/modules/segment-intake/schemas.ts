import { type Static, Type } from 'typebox'
import { answer, FreeForm, oneOf } from '../../platform/schema/schemas.ts'
import { REJECTION_CODES } from '../visitors/schemas.ts'

/** A message of a Segment library, or a batch of them. Its form is theirs, and has more in it than we read. */
export const SegmentBody = FreeForm

export const SegmentAnswer = answer('CollectSegmentAnswer', {
  success: Type.Boolean({ description: 'Always true: what was taken is durable.' }),
  rejected: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the batch, from 0.' }),
      code: oneOf([...REJECTION_CODES, 'identity-not-proven', 'invalid-identity']),
      detail: Type.String(),
    }),
    {
      description: 'Messages that were not taken. Libraries do not look at it; the health of the tracker counts them.',
    },
  ),
})
export type SegmentRejection = Static<typeof SegmentAnswer>['rejected'][number]
