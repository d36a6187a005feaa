import { type Static, Type } from 'typebox'
import { answer, closed, FreeForm, Id, mayBeAbsent, nullable, Timestamp } from '../../../platform/schema/schemas.ts'
import { GIVEN_MAX } from '../scenarios/scenario.ts'

const node = Type.String({ description: 'The id of the node.', examples: ['rest'] })

/** With no body at all the sample person comes in, and the mails go to whoever asks. */
export const LiveTestBody = mayBeAbsent(
  closed(
    'AutomationTestBody',
    {
      contactId: Type.Optional(
        Type.String({ ...Id, description: 'Whose way it is; needs `contacts:read`. Without: a sample person.' }),
      ),
      email: Type.Optional(
        Type.String({
          maxLength: 320,
          description:
            'Where the mails go: to a member of the workspace, or with `emails:send` to anybody. Without: to you, or, of a token, to the first owner.',
          examples: ['you@example.com'],
        }),
      ),
      given: Type.Optional(
        Type.Array(Type.Unsafe<Record<string, unknown>>(FreeForm), {
          minItems: 1,
          maxItems: GIVEN_MAX,
          description:
            'What happens to them, and when, as scenarios have it (docs/guides/automations.md#scenarios). Without: the first trigger.',
          examples: [[{ event: 'cart.updated', data: { cartId: 'a' } }]],
        }),
      ),
    },
    { examples: [{ email: 'you@example.com', given: [{ event: 'cart.updated', data: { cartId: 'a' } }] }] },
  ),
)
export type LiveTestBody = Static<typeof LiveTestBody>

export const LiveTest = answer('AutomationTest', {
  contactId: nullable(Type.String({ ...Id, description: 'Null: the sample person.' })),
  destination: Type.String({ description: 'Where the mails go.', examples: ['you@example.com'] }),
  refused: nullable(Type.String({ description: 'Why they do not come in. Null: they do.', examples: ['filter'] })),
  end: nullable(
    Type.String({ description: 'How it ends. Null: it does not, within 400 days.', examples: ['completed'] }),
  ),
  mails: Type.Array(
    answer('AutomationTestMail', {
      node,
      messageId: Id,
      subject: Type.String({ examples: ['[Test] You left something behind'] }),
      at: Type.String({ ...Timestamp, description: 'When it would be sent.' }),
      sentFrom: Type.String({ ...Timestamp, description: 'When the test sends it: each wait is three seconds.' }),
    }),
    { description: 'The first twenty.' },
  ),
  steps: Type.Array(
    answer('AutomationTestStep', {
      node,
      way: Type.String({ examples: ['to'] }),
      next: nullable(node),
      at: Timestamp,
    }),
    { description: 'The way that they go; its first step is the entry, of an empty name.' },
  ),
  skipped: Type.Array(answer('AutomationTestSkip', { node, reason: Type.String({ examples: ['suppressed'] }) }), {
    description: 'Mails that they would not be sent, and why.',
  }),
  notDone: Type.Array(answer('AutomationTestEffect', { node, kind: Type.String({ examples: ['tag'] }) }), {
    description: 'What a run would do besides, and a test does not.',
  }),
})
export type LiveTest = Static<typeof LiveTest>
