import { Type } from 'typebox'
import { closed } from '../../platform/schema/schemas.ts'
import { untrustedObject, untrustedText } from '../../platform/untrusted-text.ts'
import {
  defineTool,
  IdInput,
  listed,
  listedOutput,
  MaybeText,
  PAGE_INPUT,
  pageQuery,
  Text,
  type Tool,
  Untrusted,
} from '../tool.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from './template-limits.ts'

/** Of a body, in one answer. */
const PART_CHARS_MAX = 12_000
const RENDERED_CHARS_MAX = 6_000

const Subject = Type.Optional(Type.String({ maxLength: SUBJECT_CHARS_MAX }))
const Body = Type.Optional(Type.String({ maxLength: BODY_CHARS_MAX, description: 'MJML or HTML with Liquid' }))
const PlainText = Type.Optional(Type.String({ maxLength: TEXT_CHARS_MAX }))

const TemplateLine = Type.Object({ id: Text, name: Text, subject: Text, version: Type.Integer(), updatedAt: Text })

/** Contents of mails, for agents. Templates are written by members, and come as they are. */
export const templateTools: readonly Tool[] = [
  defineTool({
    name: 'templates_list',
    title: 'List templates',
    toolset: 'content',
    needs: ['templates:read'],
    effect: 'reads',
    description: 'Templates without their bodies.',
    input: closed({ search: Type.Optional(Type.String({ maxLength: 200 })), ...PAGE_INPUT }),
    output: listedOutput(TemplateLine),
    async run(call, { search, ...page }) {
      return listed(
        await call('GET /api/templates', { query: { search, ...pageQuery(page) } }),
        (line) => line as never,
      )
    },
  }),
  defineTool({
    name: 'template_get',
    title: 'Read a template',
    toolset: 'content',
    needs: ['templates:read'],
    effect: 'reads',
    description: 'A template with its body, in parts: go on at nextFrom until it is absent.',
    input: closed({ templateId: IdInput, from: Type.Optional(Type.Integer({ minimum: 0, maximum: BODY_CHARS_MAX })) }),
    output: Type.Object({
      ...TemplateLine.properties,
      body: Text,
      text: MaybeText,
      nextFrom: Type.Optional(Type.Integer()),
    }),
    async run(call, { templateId, from = 0 }) {
      const { body, text, ...template } = await call(`GET /api/templates/${templateId}`)
      const to = from + PART_CHARS_MAX
      const isLast = to >= body.length
      const shown = text?.slice(0, RENDERED_CHARS_MAX) ?? null
      return { ...template, body: body.slice(from, to), text: shown, ...(isLast ? {} : { nextFrom: to }) }
    },
  }),
  defineTool({
    name: 'template_save',
    title: 'Save a template',
    toolset: 'content',
    needs: ['templates:write'],
    effect: 'makes',
    description: 'Creates a template. Body is whole, never a part.',
    input: closed({
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      subject: Subject,
      body: Body,
      text: PlainText,
    }),
    output: TemplateLine,
    run: (call, body) => call('POST /api/templates', { body, once: true }),
  }),
  defineTool({
    name: 'template_change',
    title: 'Change a template',
    toolset: 'content',
    // A program's next mail by it is the changed one.
    needs: ['templates:write', 'emails:send'],
    forHoldersAlone: true,
    effect: 'makes',
    description:
      'Changes a template, in force at once for mail of programs; the version before is kept. Body is whole, never a part.',
    input: closed({
      templateId: IdInput,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      subject: Subject,
      body: Body,
      text: PlainText,
    }),
    output: TemplateLine,
    run: (call, { templateId, ...body }) => call(`PATCH /api/templates/${templateId}`, { body }),
  }),
  defineTool({
    name: 'template_preview',
    title: 'Preview a mail',
    toolset: 'content',
    needs: ['templates:read'],
    effect: 'reads',
    description:
      'Renders a stored template, or a draft body, for a sample person or a contact (needs contacts:read): subject, text, links, warnings, unknown variables.',
    input: closed({
      templateId: Type.Optional(IdInput),
      subject: Subject,
      body: Body,
      contactId: Type.Optional(IdInput),
    }),
    output: Type.Object({
      unknownVariables: Type.Array(Text),
      warnings: Type.Array(Type.Object({ pointer: Text, detail: Text })),
      htmlBytes: Type.Integer(),
      untrusted: Untrusted,
    }),
    async run(call, { templateId, subject, body = '', contactId }) {
      const person = contactId === undefined ? {} : { contactId, masked: true }
      const preview =
        templateId === undefined
          ? await call('POST /api/templates/preview', { body: { ...(subject && { subject }), body, ...person } })
          : await call(`POST /api/templates/${templateId}/preview`, { body: person })
      const { html, links, text, unknownVariables, warnings } = preview
      return {
        ...{ unknownVariables, warnings },
        htmlBytes: Buffer.byteLength(html),
        // Rendered for a person, it says what the person wrote.
        untrusted: {
          ...untrustedObject({ subject: preview.subject, links }),
          text: untrustedText(text, RENDERED_CHARS_MAX),
        },
      }
    },
  }),
]
