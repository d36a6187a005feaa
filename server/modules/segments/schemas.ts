import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, Timestamp } from '../../platform/schema/schemas.ts'
import { Contact } from '../contacts/schemas.ts'
import { DEFINITION_CHARS_MAX } from './parse-definition.ts'

const NAME_CHARS_MAX = 200
const EXAMPLE =
  '{"combinator":"and","rules":[{"field":"custom:plan","operator":"=","value":"pro"},' +
  '{"field":"event:email.opened","operator":"performed","value":"30"}]}'

const definition = Type.String({
  maxLength: DEFINITION_CHARS_MAX,
  description: 'The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone.',
  examples: [EXAMPLE],
})

/** Interface specification, Segment. */
export const Segment = answer('Segment', {
  id: Id,
  name: Type.String({ examples: ['Active on the pro plan'] }),
  definition,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Segment = Static<typeof Segment>

const DEFINITION_EXAMPLE = '{"combinator":"and","rules":[{"field":"firstName","operator":"notNull"}]}'
const name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Unique in the workspace, whatever the case of its letters; trimmed.',
  examples: ['Active on the pro plan'],
})

export const SegmentBody = closed(
  'SegmentBody',
  { name, definition },
  { examples: [{ name: 'Customers with a name', definition: DEFINITION_EXAMPLE }] },
)
export type SegmentBody = Static<typeof SegmentBody>

export const SegmentChange = closed(
  'SegmentChange',
  {
    name: Type.Optional(name),
    definition: Type.Optional(definition),
  },
  { examples: [{ name: 'Customers we know' }] },
)
export type SegmentChange = Static<typeof SegmentChange>

export const PreviewBody = closed(
  'SegmentPreviewBody',
  {
    definition: Type.Optional(nullable(definition)),
  },
  { examples: [{ definition: DEFINITION_EXAMPLE }] },
)

export const Preview = answer('SegmentPreview', {
  count: Type.Integer({ description: 'How many contacts belong to it now, exactly.', examples: [1204] }),
  sample: Type.Array(Contact, { description: 'Its first ten contacts, ascending by id.' }),
})
export type Preview = Static<typeof Preview>

/** Whether a contact belongs to a segment, rule by rule. */
export const Membership = answer('SegmentMembership', {
  isMember: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      pointer: Type.String({ description: 'The rule in the definition.', examples: ['/definition/rules/0'] }),
      field: Type.String({ examples: ['custom:plan'] }),
      operator: Type.String({ examples: ['='] }),
      holds: Type.Boolean({ description: 'Whether this rule by itself holds for the contact.' }),
    }),
    { description: 'In the order of the definition; muted ones are left out.' },
  ),
})
export type Membership = Static<typeof Membership>
