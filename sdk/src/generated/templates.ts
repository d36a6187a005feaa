// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type StoredTemplatePreviewBody = {
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */
  contactId?: string
  /** Whether the contact comes with addresses and telephone numbers masked (`a***@example.com`) before the template gets them. */
  masked?: boolean
  variables?: Record<string, unknown>
  /** Number of a version. */
  version?: number
}

export type Template = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */
  key: string | null
  /** One line, with Liquid. */
  subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body: string
  /** The text part, with Liquid. Null: made from the body. */
  text: string | null
  /** Counts up with each change of subject, body or text. */
  version: number
  createdAt: string
  updatedAt: string
}

export type TemplateBody = {
  /** Trimmed. */
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */
  key?: string | null
  /** One line, with Liquid. */
  subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body?: string
  /** The text part, with Liquid. Null: made from the body. */
  text?: string | null
}

export type TemplateChange = {
  /** Trimmed. */
  name?: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */
  key?: string | null
  /** One line, with Liquid. */
  subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body?: string
  /** The text part, with Liquid. Null: made from the body. */
  text?: string | null
}

export type TemplatePreview = {
  subject: string
  /** Show it in a sandboxed frame only: it is as its author wrote it. */
  html: string
  text: string
  /** The addresses of the links, as the person would follow them. */
  links: Array<string>
  /** The variables that the template reads. */
  variables: Array<string>
  /** Of these, what neither the person, the custom fields of the workspace nor the call has: a slip of the pen? */
  unknownVariables: Array<string>
  warnings: Array<TemplateWarning>
}

export type TemplatePreviewBody = {
  /** One line, with Liquid. */
  subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body: string
  /** The text part, with Liquid. Null: made from the body. */
  text?: string | null
  /** Whether each element of MJML carries a class `mark-<offset>` in the HTML: where it begins in the body, for editors. */
  marks?: boolean
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */
  contactId?: string
  /** Whether the contact comes with addresses and telephone numbers masked (`a***@example.com`) before the template gets them. */
  masked?: boolean
  variables?: Record<string, unknown>
}

export type TemplateSample = {
  key: string
  /** Those of `transactional` show the variables of a call; the others go into a broadcast as they are. */
  kind: Open<'newsletter' | 'announcement' | 'relationship' | 'transactional'>
  name: string
  description: string
  /** One line, with Liquid. */
  subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body: string
  /** The text part, with Liquid. Null: made from the body. */
  text: string | null
  /** Values for a preview of it, where it needs more than a contact has. */
  variables: Record<string, unknown>
}

export type TemplateSamples = {
  items: Array<TemplateSample>
}

export type TemplateSummary = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */
  key: string | null
  /** One line, with Liquid. */
  subject: string
  /** Counts up with each change of subject, body or text. */
  version: number
  createdAt: string
  updatedAt: string
}

export type TemplateSummaryPage = {
  items: Array<TemplateSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TemplateVersion = {
  /** Counts up with each change of subject, body or text. */
  version: number
  /** One line, with Liquid. */
  subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */
  body: string
  /** The text part, with Liquid. Null: made from the body. */
  text: string | null
  createdAt: string
}

export type TemplateVersionSummary = {
  /** Counts up with each change of subject, body or text. */
  version: number
  /** One line, with Liquid. */
  subject: string
  createdAt: string
}

export type TemplateVersionSummaryPage = {
  items: Array<TemplateVersionSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TemplateWarning = {
  /** The field it is about. */
  pointer: string
  line: number | null
  detail: string
}

export interface TemplatesOperations {
  /** Create a template. The body is MJML with Liquid, or HTML with Liquid. Values are escaped in HTML unless they are piped through `raw`. A template that cannot be sent is answered 422, with a pointer to each field at fault and the line in it: `{"pointer":"/body","detail":"line 12: undefined filter: shout"}`. Needs the scope `templates:write`. */
  create(body: TemplateBody, options?: PostOptions): Promise<Tagged<Template>>

  /** Delete a template. Messages that were accepted with it still go out as they were meant. Needs the scope `templates:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a template. As it is in force. Needs the scope `templates:read`. */
  get(id: string, options?: Options): Promise<Tagged<Template>>

  /** Read a version of a template. The content of the template while this version was in force. A version never changes. Needs the scope `templates:read`. */
  getVersion(id: string, version: string, options?: Options): Promise<Tagged<TemplateVersion>>

  /** List templates. Ascending by id, without their bodies: read one to have its body. `totalItems` is exact. Needs the scope `templates:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only templates whose name contains this text. */
    search?: string
  }, options?: Options): List<TemplateSummaryPage>

  /** List sample templates. Templates to begin with, under the name of the workspace and in its colour: create one of your own from what you like. Needs the scope `templates:read`. */
  listSamples(options?: Options): Promise<TemplateSamples>

  /** List the versions of a template. Newest first. The newest hundred are kept for good, older ones for 400 days after they were replaced. Needs the scope `templates:read`. */
  listVersions(id: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<TemplateVersionSummaryPage>

  /** Preview a template that is being written. Compiles and renders the content given. As the contact of `contactId`, which needs the scope contacts:read, else as the sample person Alex Sample, who has a value for each custom field of the workspace. Nothing is stored or sent; the unsubscribe link leads nowhere. Needs the scope `templates:read`. */
  preview(body: TemplatePreviewBody, options?: PostOptions): Promise<TemplatePreview>

  /** Preview a template. Renders the version in force, or the one named. As the contact of `contactId`, which needs the scope contacts:read, else as the sample person Alex Sample, who has a value for each custom field of the workspace. Nothing is stored or sent; the unsubscribe link leads nowhere. Needs the scope `templates:read`. */
  previewStored(id: string, body: StoredTemplatePreviewBody, options?: PostOptions): Promise<TemplatePreview>

  /** Restore a version of a template. Puts the content of an earlier version in force again, as a new version. The name stays. Needs the scope `templates:write`. */
  restoreVersion(id: string, version: string, options?: PostOptions & GuardedOptions): Promise<Tagged<Template>>

  /** Change a template. Absent fields stay; a null `text` has the text part made from the body again. Another subject, body or text is a new version; messages that were accepted before keep theirs. A template that cannot be sent is answered 422, with a pointer to each field at fault and the line in it: `{"pointer":"/body","detail":"line 12: undefined filter: shout"}`. Needs the scope `templates:write`. */
  update(id: string, body: TemplateChange, options?: GuardedOptions): Promise<Tagged<Template>>
}
