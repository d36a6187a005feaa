import { type Static, Type } from 'typebox'
import { answer, closed, FreeForm, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { SAMPLE_KINDS } from './samples.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from './template-limits.ts'

const NAME_CHARS_MAX = 200

const content = {
  subject: Type.String({
    maxLength: SUBJECT_CHARS_MAX,
    description: 'One line, with Liquid.',
    examples: ['{{ first_name | default: "Hello" }}, your order is on its way'],
  }),
  body: Type.String({
    maxLength: BODY_CHARS_MAX,
    description:
      'MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid.',
    examples: [
      '<mjml><mj-body><mj-section><mj-column><mj-text>Hello {{ first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>',
    ],
  }),
  text: nullable(
    Type.String({
      maxLength: TEXT_CHARS_MAX,
      description: 'The text part, with Liquid. Null: made from the body.',
      examples: ['Hello {{ first_name }}'],
    }),
  ),
}

const version = Type.Integer({
  minimum: 1,
  description: 'Counts up with each change of subject, body or text.',
  examples: [3],
})

const key = nullable(
  Type.String({
    pattern: '^[a-z0-9]([a-z0-9_.-]{0,98}[a-z0-9])?$',
    description: 'By which programs name it (`templateKey` of a message); stays when it is renamed.',
    examples: ['order-confirmation'],
  }),
)

const named = { id: Id, name: Type.String({ examples: ['Order confirmation'] }), key }
const times = { createdAt: Timestamp, updatedAt: Timestamp }

export const Template = answer('Template', { ...named, ...content, version, ...times })
export type Template = Static<typeof Template>

/** A template as a list shows it, without its body, which may have 200,000 characters. */
export const TemplateSummary = answer('TemplateSummary', { ...named, subject: content.subject, version, ...times })
export type TemplateSummary = Static<typeof TemplateSummary>

export const TemplateVersion = answer('TemplateVersion', { version, ...content, createdAt: Timestamp })
export type TemplateVersion = Static<typeof TemplateVersion>

export const VersionSummary = answer('TemplateVersionSummary', {
  version,
  subject: content.subject,
  createdAt: Timestamp,
})
export type VersionSummary = Static<typeof VersionSummary>

const name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Trimmed.',
  examples: ['Order confirmation'],
})

/** Names that other services have for the content of a mail that is kept. */
export const CONTENT_ELSEWHERE = {
  subject: ['subjectLine', 'title'],
  body: ['html', 'htmlBody', 'htmlContent', 'htmlPart', 'content', 'mjml'],
  text: ['textBody', 'textContent', 'textPart', 'plain', 'plainText', 'altbody'],
  key: ['alias', 'templateKey'],
}

export const TemplateBody = closed(
  'TemplateBody',
  {
    name,
    key: Type.Optional(key),
    subject: Type.Optional(content.subject),
    body: Type.Optional(content.body),
    text: Type.Optional(content.text),
  },
  {
    examples: [{ name: 'Order confirmation', subject: 'Your order', body: '<p>Thank you, {{ first_name }}.</p>' }],
    otherNames: CONTENT_ELSEWHERE,
  },
)
export type TemplateBody = Static<typeof TemplateBody>

export const TemplateChange = closed(
  'TemplateChange',
  {
    name: Type.Optional(name),
    key: Type.Optional(key),
    subject: Type.Optional(content.subject),
    body: Type.Optional(content.body),
    text: Type.Optional(content.text),
  },
  { examples: [{ subject: 'Your order {{ number }}' }], otherNames: CONTENT_ELSEWHERE },
)
export type TemplateChange = Static<typeof TemplateChange>

export const VersionNumber = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of a version.' })

const person = {
  contactId: Type.Optional(
    Type.String({
      ...Id,
      description: 'The contact to preview it as; needs `contacts:read`. Without: a sample person.',
    }),
  ),
  masked: Type.Optional(
    Type.Boolean({
      description:
        'Whether the contact comes with addresses and telephone numbers masked (`a***@example.com`) before the template gets them.',
      examples: [true],
    }),
  ),
  variables: Type.Optional(FreeForm),
}

export const StoredPreviewBody = mayBeAbsent(
  closed(
    'StoredTemplatePreviewBody',
    {
      ...person,
      version: Type.Optional(VersionNumber),
    },
    { examples: [{ variables: { first_name: 'Ada' } }] },
  ),
)
export type StoredPreviewBody = Static<typeof StoredPreviewBody>

export const PreviewBody = closed(
  'TemplatePreviewBody',
  {
    subject: Type.Optional(content.subject),
    body: content.body,
    text: Type.Optional(content.text),
    marks: Type.Optional(
      Type.Boolean({
        description:
          'Whether each element of MJML carries a class `mark-<offset>` in the HTML: where it begins in the body, for editors.',
        examples: [true],
      }),
    ),
    ...person,
  },
  { examples: [{ subject: 'Your order', body: '<p>Thank you, {{ first_name }}.</p>' }] },
)
export type PreviewBody = Static<typeof PreviewBody>

export const TemplateWarning = answer('TemplateWarning', {
  pointer: Type.String({ description: 'The field it is about.', examples: ['/body'] }),
  line: nullable(Type.Integer({ examples: [12] })),
  detail: Type.String(),
})

export const TemplatePreview = answer('TemplatePreview', {
  subject: Type.String(),
  html: Type.String({ description: 'Show it in a sandboxed frame only: it is as its author wrote it.' }),
  text: Type.String(),
  links: Type.Array(Type.String(), { description: 'The addresses of the links, as the person would follow them.' }),
  variables: Type.Array(Type.String(), { description: 'The variables that the template reads.' }),
  unknownVariables: Type.Array(Type.String(), {
    description:
      'Of these, what neither the person, the custom fields of the workspace nor the call has: a slip of the pen?',
  }),
  warnings: Type.Array(TemplateWarning),
})
export type TemplatePreview = Static<typeof TemplatePreview>

export const TemplateSample = answer('TemplateSample', {
  key: Type.String({ examples: ['newsletter'] }),
  kind: oneOf(SAMPLE_KINDS, {
    description: 'Those of `transactional` show the variables of a call; the others go into a broadcast as they are.',
  }),
  name: Type.String(),
  description: Type.String(),
  ...content,
  variables: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Values for a preview of it, where it needs more than a contact has.',
  }),
})
export const TemplateSamples = answer('TemplateSamples', { items: Type.Array(TemplateSample) })
