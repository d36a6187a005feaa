import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { RULES } from '../../sending/ledger/refusal.ts'

/** Findings of a preflight. An error keeps the broadcast from being sent, a warning does not. */
export const CHECK_CODES = [
  'subject_missing',
  'body_missing',
  'content_faulty',
  'content_warning',
  'render_failed',
  'unsubscribe_missing',
  'unknown_field',
  'no_integration',
  'integration_disabled',
  'unverified_domain',
  'workspace_unnamed',
  'segment_invalid',
  'audience_empty',
  'audience_skipped',
  'audience_uncounted',
  'link_broken',
  'link_insecure',
  'link_unanswered',
  'message_large',
  'text_missing',
  'spam_words',
  'postal_address_missing',
] as const
export type CheckCode = (typeof CHECK_CODES)[number]

export const Check = answer('PreflightCheck', {
  code: oneOf(CHECK_CODES, { description: 'Stable: branch on this.' }),
  severity: oneOf(['error', 'warning'], { description: 'An error keeps it from being sent.' }),
  field: nullable(Type.String({ description: 'The field at fault.', examples: ['body'] })),
  line: nullable(Type.Integer({ description: 'The line of the field, from 1.' })),
  detail: Type.String({ description: 'For a person.' }),
})
export type Check = Static<typeof Check>

const Named = Type.Object({ id: Id, name: Type.String({ examples: ['Customers'] }) })

export const Preflight = answer('BroadcastPreflight', {
  ready: Type.Boolean({ description: 'Whether nothing keeps it from being sent.' }),
  updatedAt: Type.String({
    ...Timestamp,
    description:
      '`updatedAt` of the broadcast as it was looked at: `send` and `schedule` take it as `expectedUpdatedAt`.',
  }),
  audience: Type.Object(
    {
      segments: Type.Array(Named, { description: 'None: every contact with an address.' }),
      excludedSegments: Type.Array(Named),
      topic: nullable(Named),
    },
    { description: 'Names of those it goes to. One that is no more is not there.' },
  ),
  checks: Type.Array(Check, { description: 'The findings, errors first.' }),
  recipientsCount: nullable(
    Type.Integer({
      description: 'How many contacts its audience has now. Null when they could not be counted in time.',
    }),
  ),
  forecast: nullable(
    Type.Object(
      {
        sendCount: Type.Integer({ description: 'How many of them would get it.' }),
        skips: Type.Array(
          Type.Object({
            state: oneOf(['skipped', 'suppressed']),
            reason: Type.String({ description: 'As in the report.', examples: ['unsubscribed_source'] }),
            rule: nullable(oneOf(RULES, { description: 'The rule that stands against it.' })),
            count: Type.Integer(),
          }),
          { description: 'Who would not, by why; the most first. With `sendCount` they sum up to `recipientsCount`.' },
        ),
      },
      {
        description: 'Who of its audience would get it if it were sent now. Null when that took too long to find out.',
      },
    ),
  ),
  htmlBytes: nullable(
    Type.Integer({ description: 'Size of the HTML part for a sample person, as it goes out: with its tracked links.' }),
  ),
})
export type Preflight = Static<typeof Preflight>

const TEST_ADDRESS_CHARS_MAX = 320
/** Besides the first one. */
const TEST_ADDRESSES_MORE_MAX = 9

export const TestSendBody = closed(
  'BroadcastTestSendBody',
  {
    email: Type.String({
      maxLength: TEST_ADDRESS_CHARS_MAX,
      description: 'Where it goes.',
      examples: ['you@example.com'],
    }),
    alsoTo: Type.Optional(
      Type.Array(Type.String({ maxLength: TEST_ADDRESS_CHARS_MAX }), {
        maxItems: TEST_ADDRESSES_MORE_MAX,
        description: 'Further addresses, each of which gets a mail of its own. One that is given twice gets one.',
        examples: [['colleague@example.com']],
      }),
    ),
    contactId: Type.Optional(
      Type.String({
        ...Id,
        description: 'The contact it is rendered for; needs `contacts:read`. Without: a sample person.',
      }),
    ),
    toMembersOnly: Type.Optional(
      Type.Boolean({ description: 'Refused unless each address is that of a member of the workspace.' }),
    ),
  },
  { examples: [{ email: 'you@example.com' }] },
)
export type TestSendBody = Static<typeof TestSendBody>
