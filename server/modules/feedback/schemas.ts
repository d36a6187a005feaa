import { type Static, Type } from 'typebox'
import { answer, closed, nullable, Timestamp } from '../../platform/schema/schemas.ts'

export const FeedbackHooks = answer('FeedbackHooks', {
  ingestKey: Type.String({
    description: 'Stands in the paths of the hooks. Anybody who has it can reach them: keep it secret.',
  }),
  paths: Type.Object(
    {
      ses: Type.String({ description: 'For a subscription of Amazon SNS, over https.' }),
      mail: Type.String({ description: 'Takes a mail that came back, as `message/rfc822`.' }),
      events: Type.String({ description: 'Takes signed bounces and complaints in JSON.' }),
    },
    { description: 'Below the address of this service.' },
  ),
  secret: Type.String({ description: 'Signs what is sent to the hook of events, by Standard Webhooks: `whsec_…`.' }),
  previousUntil: nullable({
    ...Timestamp,
    description: 'Until when key and secret before the last rotation stay good; null when they are not any more.',
  }),
  sesTopics: Type.Array(Type.String(), {
    description: 'ARNs of the SNS topics that are believed. None: no message of SNS is.',
  }),
  bounceDomain: nullable(Type.String({ description: 'The domain of return paths, when the instance has one.' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type FeedbackHooks = Static<typeof FeedbackHooks>

const TOPICS_MAX = 20

export const FeedbackHooksChange = closed(
  'FeedbackHooksChange',
  {
    sesTopics: Type.Optional(
      Type.Array(Type.String({ maxLength: 400, examples: ['arn:aws:sns:eu-west-1:123456789012:ses-feedback'] }), {
        maxItems: TOPICS_MAX,
      }),
    ),
  },
  { examples: [{ sesTopics: ['arn:aws:sns:eu-west-1:123456789012:ses-feedback'] }] },
)
