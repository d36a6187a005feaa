// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, Tagged } from '../call.ts'

export type WorkspaceProfile = {
  id: string
  slug: string
  name: string
  /** Of the pages and mails that the service writes to readers. */
  language: Open<'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'>
  /** A picture above those pages, and in the mail that asks for consent. */
  logoUrl: string | null
  /** Of their buttons. */
  color: string | null
  /** Colours that the editor of mails offers, each with a name of its own. */
  palette: Array<{
    name: string
    color: string
  }>
  /** Fonts of the text in new mails and blocks, as CSS lists them. */
  fontFamily: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */
  confirmedUrl: string | null
  createdAt: string
  updatedAt: string
}

export type WorkspaceProfileChange = {
  name?: string
  /** Of the pages and mails that the service writes to readers. */
  language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'sv' | 'da'
  /** A picture above those pages, and in the mail that asks for consent. */
  logoUrl?: string | null
  /** Of their buttons. */
  color?: string | null
  /** Colours that the editor of mails offers, each with a name of its own. */
  palette?: Array<{
    name: string
    color: string
  }>
  /** Fonts of the text in new mails and blocks, as CSS lists them. */
  fontFamily?: string | null
  /** Where a reader goes on who has confirmed; a page of ours without it. */
  confirmedUrl?: string | null
}

export interface WorkspaceOperations {
  /** Read the workspace of the token. Its name, and the language, logo, colours and font of the pages and mails that readers get from it. Needs any valid token. */
  get(options?: Options): Promise<Tagged<WorkspaceProfile>>

  /** Rename the workspace, and change how readers see it. Absent fields stay, null clears. Its slug stays. Needs the scope `integrations:write`. */
  update(body: WorkspaceProfileChange, options?: GuardedOptions): Promise<Tagged<WorkspaceProfile>>
}
