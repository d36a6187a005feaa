// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type StoredTemplatePreviewBody = {
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */ contactId?: string
  /** Whether the contact comes with addresses and telephone numbers masked (`a***@example.com`) before the template gets them. */ masked?: boolean
  variables?: Record<string, unknown>
  /** Number of a version. */ version?: number
}

export type Template = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key: string | null
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  /** Counts up with each change of subject, body or text. */ version: number
  createdAt: string
  updatedAt: string
}

export type TemplateBody = {
  /** Trimmed. */ name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key?: string | null
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body?: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
}

export type TemplateChange = {
  /** Trimmed. */ name?: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key?: string | null
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body?: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
}

export type TemplatePreview = {
  subject: string
  /** Show it in a sandboxed frame only: it is as its author wrote it. */ html: string
  text: string
  /** The addresses of the links, as the person would follow them. */ links: Array<string>
  /** The variables that the template reads. */ variables: Array<string>
  /** Of these, what neither the person, the custom fields of the workspace nor the call has: a slip of the pen? */ unknownVariables: Array<string>
  warnings: Array<TemplateWarning>
}

export type TemplatePreviewBody = {
  /** One line, with Liquid. */ subject?: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text?: string | null
  /** Whether each element of MJML carries a class `mark-<offset>` in the HTML: where it begins in the body, for editors. */ marks?: boolean
  /** The contact to preview it as; needs `contacts:read`. Without: a sample person. */ contactId?: string
  /** Whether the contact comes with addresses and telephone numbers masked (`a***@example.com`) before the template gets them. */ masked?: boolean
  variables?: Record<string, unknown>
}

export type TemplateSample = {
  key: string
  /** Those of `transactional` show the variables of a call; the others go into a broadcast as they are. */ kind: 'newsletter' | 'announcement' | 'relationship' | 'transactional'
  name: string
  description: string
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  /** Values for a preview of it, where it needs more than a contact has. */ variables: Record<string, unknown>
}

export type TemplateSamples = {
  items: Array<TemplateSample>
}

export type TemplateSummary = {
  id: string
  name: string
  /** By which programs name it (`templateKey` of a message); stays when it is renamed. */ key: string | null
  /** One line, with Liquid. */ subject: string
  /** Counts up with each change of subject, body or text. */ version: number
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
  /** Counts up with each change of subject, body or text. */ version: number
  /** One line, with Liquid. */ subject: string
  /** MJML with Liquid, to the character as it was given. A body without an mjml element first is HTML with Liquid. */ body: string
  /** The text part, with Liquid. Null: made from the body. */ text: string | null
  createdAt: string
}

export type TemplateVersionSummary = {
  /** Counts up with each change of subject, body or text. */ version: number
  /** One line, with Liquid. */ subject: string
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
  /** The field it is about. */ pointer: string
  line: number | null
  detail: string
}

export type TemplatesOperations = {
  'DELETE /templates/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /templates': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only templates whose name contains this text. */ search?: string
}
    body: undefined
    answer: TemplateSummaryPage
  }
  'GET /templates/samples': {
    params: undefined
    query: undefined
    body: undefined
    answer: TemplateSamples
  }
  'GET /templates/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Template
  }
  'GET /templates/{id}/versions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TemplateVersionSummaryPage
  }
  'GET /templates/{id}/versions/{version}': {
    params: { id: string; version: string }
    query: undefined
    body: undefined
    answer: TemplateVersion
  }
  'PATCH /templates/{id}': {
    params: { id: string }
    query: undefined
    body: TemplateChange
    answer: Template
  }
  'POST /templates': {
    params: undefined
    query: undefined
    body: TemplateBody
    answer: Template
  }
  'POST /templates/preview': {
    params: undefined
    query: undefined
    body: TemplatePreviewBody
    answer: TemplatePreview
  }
  'POST /templates/{id}/preview': {
    params: { id: string }
    query: undefined
    body: StoredTemplatePreviewBody
    answer: TemplatePreview
  }
  'POST /templates/{id}/versions/{version}/restore': {
    params: { id: string; version: string }
    query: undefined
    body: undefined
    answer: Template
  }
}
