// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Workspace = {
  id: string
  slug: string
  name: string
  /** Members without a second factor are kept out of the workspace until they have one. */ requireSecondFactor: boolean
  /** Audit entries older than this are deleted, the oldest first; null keeps them for ever. */ auditRetentionDays: number | null
  /** Of the pages and mails that the service writes to readers. */ language: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'
  /** A picture above those pages, and in the mail that asks for consent. */ logoUrl: string | null
  /** Of their buttons. */ color: string | null
  /** Colours that the editor of mails offers, each with a name of its own. */ palette: Array<{
    name: string
    color: string
  }>
  /** Fonts of the text in new mails and blocks, as CSS lists them. */ fontFamily: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */ confirmedUrl: string | null
  /** Permissions of the person in it. */ permissions: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'trackers:read' | 'trackers:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'forms:read' | 'forms:write' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'approvals:read' | 'tokens:read' | 'tokens:write' | 'audit:read' | 'members:read' | 'members:write' | 'workspace:write'>
  createdAt: string
  updatedAt: string
}

export type WorkspaceChange = {
  name?: string
  /** Members without a second factor are kept out of the workspace until they have one. */ requireSecondFactor?: boolean
  /** Audit entries older than this are deleted, the oldest first; null keeps them for ever. */ auditRetentionDays?: number | null
  /** Of the pages and mails that the service writes to readers. */ language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'
  /** A picture above those pages, and in the mail that asks for consent. */ logoUrl?: string | null
  /** Of their buttons. */ color?: string | null
  /** Colours that the editor of mails offers, each with a name of its own. */ palette?: Array<{
    name: string
    color: string
  }>
  /** Fonts of the text in new mails and blocks, as CSS lists them. */ fontFamily?: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */ confirmedUrl?: string | null
}

export type WorkspaceOperations = {
  'GET /': {
    params: undefined
    query: undefined
    body: undefined
    answer: Workspace
  }
  'PATCH /': {
    params: undefined
    query: undefined
    body: WorkspaceChange
    answer: Workspace
  }
}
