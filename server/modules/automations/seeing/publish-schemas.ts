import { type Static, Type } from 'typebox'
import { answer, nullable, oneOf } from '../../../platform/schema/schemas.ts'
import { NODE_CHANGES } from '../definition/diff-definitions.ts'

const count = Type.Integer({ examples: [12] })
const FATES = ['keeps', 'moves', 'leaves', 'stays', 'homeless'] as const

const mails = answer(
  'AutomationMailsAhead',
  {
    atLeast: Type.Integer({
      description: 'Whichever ways they go, provided that they may be mailed and that nothing takes them out.',
      examples: [0],
    }),
    atMost: nullable(
      Type.Integer({
        description:
          'On the ways with the most mails and the shortest times, as zones and dates are now. Null: somebody may go in a circle that has no bound.',
        examples: [11],
      }),
    ),
  },
  { description: 'Mails that those inside get within 24 hours: as it stands, or once it is published.' },
)
const nextDay = answer('AutomationNextDay', {
  timersBefore: Type.Integer({ description: 'Timers that end within 24 hours as it stands.', examples: [318] }),
  timersAfter: Type.Integer({ description: 'The same once it is published.', examples: [1_204] }),
  mailsBefore: mails,
  mailsAfter: mails,
  isEstimate: Type.Boolean({ description: 'Reckoned from the first 2,000 people of a node.' }),
})

export const PublishPreview = answer('AutomationPublishPreview', {
  publishes: Type.Boolean({
    description: 'Whether there would be a new version; else only those in older ones are concerned.',
  }),
  parts: Type.Array(Type.String({ examples: ['enter'] }), { description: 'Parts beside the nodes that differ.' }),
  people: answer('AutomationInsideFates', {
    inside: Type.Integer({ description: 'People in older versions; the sum of the others.', examples: [318] }),
    keep: Type.Integer({ description: 'Keep their place, in the new version.', examples: [300] }),
    move: Type.Integer({ description: 'Come to another node, as `map` says.', examples: [0] }),
    leave: Type.Integer({ examples: [0] }),
    stay: Type.Integer({ description: 'Stay in the version they are in.', examples: [0] }),
    homeless: Type.Integer({
      description: 'Stand at a node that is no more. Publishing is refused until `map` says where they go on.',
      examples: [18],
    }),
  }),
  nextDay,
  nodes: Type.Array(
    answer('AutomationNodeDiff', {
      node: Type.String({ examples: ['rest'] }),
      change: oneOf(NODE_CHANGES),
      fields: Type.Array(Type.String({ examples: ['timeout'] }), { description: 'Those that differ.' }),
      people: Type.Integer({ ...count, description: 'Who stands there, in an older version.' }),
      version: nullable(
        Type.Integer({
          description: 'The newest version in which somebody stands there; null for nobody.',
          examples: [2],
        }),
      ),
      fate: nullable(oneOf(FATES, { description: 'What becomes of them; null for nobody.' })),
      to: nullable(Type.String({ description: 'Where they go on, of the new version.', examples: ['rest'] })),
      nextDay,
    }),
  ),
  faults: Type.Array(
    answer('AutomationPublishFault', { pointer: Type.String({ examples: ['/map/rest'] }), detail: Type.String() }),
    { description: 'For which publishing would be refused.' },
  ),
})
export type PublishPreview = Static<typeof PublishPreview>
