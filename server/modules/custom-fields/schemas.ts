import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { FIELD_KEY_CHARS_MAX } from './field-key.ts'
import { FIELD_TYPES } from './fit-value.ts'

const FIELD_NAME_CHARS_MAX = 200

const key = Type.String({
  maxLength: FIELD_KEY_CHARS_MAX,
  description: `Key of the value in \`customFields\` of contacts; unique in the workspace, up to ${FIELD_KEY_CHARS_MAX} characters.`,
  examples: ['plan'],
})
const name = Type.String({
  maxLength: FIELD_NAME_CHARS_MAX,
  description: `The name people read; the key where none is given. Up to ${FIELD_NAME_CHARS_MAX} characters.`,
  examples: ['Plan'],
})
const type = oneOf(FIELD_TYPES, {
  description:
    'Type of its values; datetime is an RFC 3339 timestamp, date a day (1980-12-24), for birthdays also without its year (--12-24).',
})

/** Decisions 11, custom fields. */
export const CustomField = answer('CustomField', {
  id: Id,
  key,
  name,
  type,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type CustomField = Static<typeof CustomField>

/** A field with the facts that the dashboard's list shows besides. */
export const SiteCustomField = answer('SiteCustomField', {
  ...CustomField.properties,
  declared: Type.Boolean({
    description: 'Whether values are held to the type; false: it was inferred from the first one.',
  }),
  previousKey: nullable(Type.String({ description: 'While a change of the key is under way: the key before it.' })),
  formerKeys: Type.Array(Type.String(), {
    description:
      'Keys that it had before, the last first: whatever names one of them means the field, until another takes it.',
  }),
})

export const FieldBody = closed(
  'CustomFieldBody',
  { key, name: Type.Optional(name), type },
  { examples: [{ key: 'plan', name: 'Plan', type: 'string' }] },
)
export type FieldBody = Static<typeof FieldBody>

/** Absent members stay. */
export const FieldChange = closed(
  'CustomFieldChange',
  { key: Type.Optional(key), name: Type.Optional(name) },
  { examples: [{ name: 'Price plan' }] },
)
export type FieldChange = Static<typeof FieldChange>

export const RetypeBody = closed(
  'CustomFieldRetypeBody',
  {
    type,
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only look at the values and report what would not fit.', examples: [true] }),
    ),
  },
  { examples: [{ type: 'number', dryRun: true }] },
)

export const UNFIT_SAMPLES_MAX = 100

/** How far a retype is, and what it found so far. */
export const FieldRetype = answer('CustomFieldRetype', {
  type,
  dryRun: Type.Boolean(),
  state: oneOf(['running', 'finished'], { description: 'running: values are still being looked at.' }),
  examined: Type.Integer({ description: 'Contacts looked at so far, with and without a value.', examples: [120_000] }),
  fitting: Type.Integer({
    description: 'Values that are of the type, or were converted without loss.',
    examples: [998],
  }),
  unfit: Type.Integer({ description: 'Values that do not fit. They stay as they are.', examples: [2] }),
  samples: Type.Array(Type.Object({ contactId: Id, value: Type.Unknown({ description: 'The value as it is now.' }) }), {
    description: `Up to ${UNFIT_SAMPLES_MAX} contacts whose value does not fit, ascending by id.`,
  }),
  startedAt: Timestamp,
  finishedAt: nullable(Timestamp),
})

export const fieldFilters = {
  key: Type.Optional(Type.String({ maxLength: 300, description: 'Only the field of this key.', examples: ['plan'] })),
}
