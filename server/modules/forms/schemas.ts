import { type Static, Type } from 'typebox'
import { READER_LANGUAGES } from '../../catalogue/reader-languages.ts'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const FORM_STATES = ['active', 'paused'] as const
export const CHALLENGES = ['adaptive', 'always', 'off'] as const
export const SUBMISSION_STATES = ['pending', 'confirmed', 'expired', 'refused'] as const
/** Why nobody was mailed because of a submission. */
export const REFUSALS = ['blocked', 'address_budget', 'suppressed', 'unsubscribed'] as const

export const FIELD_CHARS_MAX = 200
const FIELDS_MAX = 20
const TAGS_MAX = 20
const ORIGINS_MAX = 100
const URL_CHARS_MAX = 1_000

const FormField = Type.Object(
  {
    field: Type.String({
      pattern: '^(email|firstName|lastName|phone|custom:.{1,100})$',
      description:
        '`email`, `firstName`, `lastName`, `phone`, or `custom:` and the key of a custom field that there is.',
      examples: ['firstName'],
    }),
    label: nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Null: the form's language says it; of a custom field its name.",
        examples: ['First name'],
      }),
    ),
    required: Type.Boolean(),
    maxLength: Type.Integer({ minimum: 1, maximum: FIELD_CHARS_MAX, description: 'In characters.', examples: [200] }),
  },
  { additionalProperties: false },
)
export type FormField = Static<typeof FormField>

const FormFieldBody = Type.Object(
  {
    field: FormField.properties.field,
    label: Type.Optional(FormField.properties.label),
    required: Type.Optional(FormField.properties.required),
    maxLength: Type.Optional(FormField.properties.maxLength),
  },
  { additionalProperties: false },
)
export type FormFieldBody = Static<typeof FormFieldBody>

const Url = (description: string) =>
  nullable(
    Type.String({
      pattern: '^https://[^\\s]+$',
      maxLength: URL_CHARS_MAX,
      description,
      examples: ['https://www.example.com/thank-you'],
    }),
  )

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'For yourself; nobody who signs up sees it.' }),
  state: oneOf(FORM_STATES, { description: 'paused: it takes nothing, and its page says so.' }),
  consentWording: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'Stands above the button, and is kept with each consent as it was then.',
    examples: ['We write to you once a month. Each mail has a link that ends it.'],
  }),
  tags: Type.Array(Type.String({ maxLength: 400, examples: ['Newsletter'] }), {
    maxItems: TAGS_MAX,
    description: 'Names of tags that those get who confirm.',
  }),
  allowedOrigins: Type.Array(Type.String({ maxLength: 300, examples: ['https://shop.example'] }), {
    maxItems: ORIGINS_MAX,
    description: 'Pages that may have the form, such as https://shop.example or https://*.shop.example. Empty: any.',
  }),
  successUrl: Url('Where a browser without a script goes on after filling it in; a page of ours without it.'),
  confirmedUrl: Url("Where somebody goes on who has confirmed; without it the workspace's, or a page of ours."),
  challenge: oneOf(CHALLENGES, {
    description:
      'Work that a browser does before it sends, unseen. adaptive: a moment, and seconds while the form is attacked. always: ' +
      'seconds. off: none, for pages whose programs cannot.',
  }),
  locale: nullable(oneOf(READER_LANGUAGES, { description: "Of its page and its mail. Null: the workspace's." })),
}

const emailFirst = 'In their order; `email` is always there.'

export const Form = answer('Form', {
  id: Id,
  key: Type.String({
    description: 'Stands in its addresses; no secret.',
    examples: ['prf_4fK0aZq81LmB2nXc7RtY1dQ9'],
  }),
  ...fields,
  fields: Type.Array(FormField, { description: emailFirst }),
  version: Type.Integer({ description: 'Every change makes one more.', examples: [3] }),
  url: Type.String({
    description: 'Its page, for whoever has no page of their own.',
    examples: ['https://mail.example.com/f/prf_4fK0aZq81LmB2nXc7RtY1dQ9'],
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Form = Static<typeof Form>
/** The part of a form that versions have. */
export type FormContent = Omit<Form, 'id' | 'key' | 'version' | 'url' | 'createdAt' | 'updatedAt'>

const given = {
  ...Type.Partial(Type.Object(fields)).properties,
  fields: Type.Optional(
    Type.Array(FormFieldBody, { minItems: 1, maxItems: FIELDS_MAX, description: `${emailFirst} Each of them once.` }),
  ),
}

export const FormBody = closed(
  'FormBody',
  { ...given, name: fields.name, consentWording: fields.consentWording },
  {
    examples: [
      {
        name: 'Footer of the shop',
        consentWording: 'We write to you once a month. Each mail has a link that ends it.',
        fields: [{ field: 'email' }, { field: 'firstName', required: true }],
        tags: ['Newsletter'],
      },
    ],
  },
)
export type FormBody = Static<typeof FormBody>

export const FormChange = closed('FormChange', given, { examples: [{ tags: ['Newsletter'], locale: 'de' }] })
export type FormChange = Static<typeof FormChange>

export const FormPreview = answer('FormPreview', {
  page: Type.String({ description: 'Its own page, a document of HTML.', examples: ['<!doctype html>…'] }),
  definition: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Everything that `/f.js` shows it by, as `GET /collect/forms/{formKey}` answers it.',
  }),
})
export type FormPreview = Static<typeof FormPreview>

export const FormVersion = answer('FormVersion', {
  version: Form.properties.version,
  ...fields,
  fields: Form.properties.fields,
  createdAt: Timestamp,
})
export type FormVersion = Static<typeof FormVersion>

/** Submissions are about people who may be nobody's contact: they name no address. */
export const FormSubmission = answer('FormSubmission', {
  id: Id,
  state: oneOf(SUBMISSION_STATES, {
    description:
      'pending: asked by mail, or about to be. confirmed: by its link. expired: not within seven days; what was filled in is ' +
      'gone. refused: nobody was asked.',
  }),
  reason: nullable(
    oneOf(REFUSALS, {
      description:
        'blocked: the owner of the address said that they did not fill in a form. address_budget: the address was asked often ' +
        'enough, or more mails wait for its domain or for the form than go in five days. suppressed, unsubscribed: it must not be mailed.',
    }),
  ),
  version: Type.Integer({ description: 'Of the form, as it was filled in.', examples: [3] }),
  contactId: nullable({ ...Id, description: 'Of a confirmed one.' } as typeof Id),
  messageId: nullable({ ...Id, description: 'The mail that asked.' } as typeof Id),
  origin: nullable(Type.String({ description: 'The site it was filled in on.', examples: ['https://shop.example'] })),
  ip: nullable(Type.String({ description: 'The network it came from.', examples: ['203.0.113.0/24'] })),
  createdAt: Timestamp,
  confirmedAt: nullable(Timestamp),
})
export type FormSubmission = Static<typeof FormSubmission>

/** A submission as the person it is about sees it: the receipt of what they agreed to. */
export const PersonSubmission = answer('PersonSubmission', {
  id: Id,
  formId: Id,
  form: Type.String({ description: 'The name of the form.', examples: ['Footer'] }),
  version: Type.Integer(),
  state: oneOf(SUBMISSION_STATES),
  reason: nullable(oneOf(REFUSALS)),
  consentWording: Type.String({ description: 'What stood above the button.' }),
  origin: nullable(Type.String()),
  ip: nullable(Type.String()),
  confirmIp: nullable(Type.String()),
  createdAt: Timestamp,
  confirmedAt: nullable(Timestamp),
  values: nullable(
    Type.Object(
      {
        email: Type.String(),
        firstName: nullable(Type.String()),
        lastName: nullable(Type.String()),
        phone: nullable(Type.String()),
        customFields: FreeForm,
      },
      { description: 'Of one that nobody has confirmed; of a confirmed one the contact has them.' },
    ),
  ),
})

export const submissionFilters = {
  state: Type.Optional(oneOf(SUBMISSION_STATES, { description: 'Only those in this state.' })),
}

export const FormSubmissionBody = closed(
  'FormSubmissionBody',
  {
    fields: {
      ...FreeForm,
      description: 'What was filled in, by the names of the form’s fields.',
    } as typeof FreeForm,
  },
  { examples: [{ fields: { email: 'ada@example.com', firstName: 'Ada' } }] },
)
export type FormSubmissionBody = Static<typeof FormSubmissionBody>

/** The answer to every submission that is well-formed, whoever has the address and whatever comes of it. */
export const FormSubmitted = answer('FormSubmitted', {
  status: oneOf(['check-your-mail'], { description: 'The same for every address.' }),
})
export type FormSubmitted = Static<typeof FormSubmitted>

const total = (description: string) => Type.Integer({ description, examples: [12] })

export const FormStats = answer('FormStats', {
  from: Timestamp,
  to: Timestamp,
  submitted: total('Filled in, and well-formed.'),
  mailed: total('Asked by mail.'),
  waiting: total('Asked by mail, or about to be, and neither confirmed nor over by now.'),
  confirmed: total('Confirmed, whenever they were asked.'),
  expired: total('Not confirmed within seven days.'),
  notMe: total('Told by the owner of the address that it was not they.'),
  refused: Type.Array(Type.Object({ reason: Type.String({ examples: ['honeypot'] }), total: Type.Integer() }), {
    description: 'Submissions that came to nothing, by the reason.',
  }),
  underAttack: Type.Boolean({ description: 'Whether it is filled in much more now than it usually is.' }),
  days: Type.Array(
    Type.Object({
      day: Type.String({ examples: ['2026-11-21'] }),
      submitted: Type.Integer(),
      confirmed: Type.Integer(),
    }),
    { description: 'By the day, in UTC.' },
  ),
})
export type FormStats = Static<typeof FormStats>

export const statsParameters = {
  days: Type.Integer({ minimum: 1, maximum: 365, default: 30, description: 'How far back, in days.' }),
}

export const FormEmbed = answer('FormEmbed', {
  url: Form.properties.url,
  html: Type.String({ description: 'The form for a page of your own: plain HTML without a script.' }),
  script: Type.String({
    description: 'The same filled in by our script, in the looks of your page; it is never out of date.',
  }),
})
export type FormEmbed = Static<typeof FormEmbed>
