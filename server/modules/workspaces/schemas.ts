import { Type } from 'typebox'
import { PERMISSIONS } from '../../catalogue/permissions.ts'
import { READER_LANGUAGES } from '../../catalogue/reader-languages.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

/** Shown in the subject of mails, so without control characters. */
const WorkspaceName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
  examples: ['Analytical Engines'],
})

const RequireSecondFactor = Type.Boolean({
  description: 'Members without a second factor are kept out of the workspace until they have one.',
})

const AuditRetentionDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Audit entries older than this are deleted, the oldest first; null keeps them for ever.',
  }),
)

export const URL_CHARS_MAX = 2_048
const PALETTE_COLORS_MAX = 12

/** How the workspace shows itself to readers. */
const brand = {
  language: oneOf(READER_LANGUAGES, { description: 'Of the pages and mails that the service writes to readers.' }),
  logoUrl: nullable(
    Type.String({
      pattern: '^https://[^\\s]+$',
      maxLength: URL_CHARS_MAX,
      description: 'A picture above those pages, and in the mail that asks for consent.',
      examples: ['https://www.example.com/logo.png'],
    }),
  ),
  color: nullable(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Of their buttons.', examples: ['#2257d6'] }),
  ),
  palette: Type.Array(
    closed({
      name: Type.String({
        minLength: 1,
        maxLength: 40,
        pattern: '^\\S([^\\u0000-\\u001f\\u007f]*\\S)?$',
        examples: ['Moss'],
      }),
      color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#2f6f4f'] }),
    }),
    {
      maxItems: PALETTE_COLORS_MAX,
      description: 'Colours that the editor of mails offers, each with a name of its own.',
    },
  ),
  fontFamily: nullable(
    Type.String({
      maxLength: 200,
      pattern: "^[A-Za-z0-9'][A-Za-z0-9 ,'_-]*$",
      description: 'Fonts of the text in new mails and blocks, as CSS lists them.',
      examples: ["Georgia, 'Times New Roman', serif"],
    }),
  ),
  confirmedUrl: nullable(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      maxLength: URL_CHARS_MAX,
      description: 'Where a reader goes on who has confirmed; a page of ours without it.',
      examples: ['https://www.example.com/welcome'],
    }),
  ),
}

/** A workspace as a member sees it. Settings of the workspace go here. */
export const OwnWorkspace = answer('Workspace', {
  id: Id,
  slug: Type.String({ examples: ['engines'] }),
  name: WorkspaceName,
  requireSecondFactor: RequireSecondFactor,
  auditRetentionDays: AuditRetentionDays,
  ...brand,
  permissions: Type.Array(oneOf(PERMISSIONS), { description: 'Permissions of the person in it.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const WorkspaceBody = closed(
  'WorkspaceBody',
  {
    slug: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      description: 'Its part of addresses. It stays.',
      examples: ['engines'],
    }),
    name: WorkspaceName,
  },
  { examples: [{ slug: 'engines', name: 'Engines' }] },
)

export const WorkspaceChange = closed(
  'WorkspaceChange',
  {
    name: Type.Optional(WorkspaceName),
    requireSecondFactor: Type.Optional(RequireSecondFactor),
    auditRetentionDays: Type.Optional(AuditRetentionDays),
    ...Type.Partial(Type.Object(brand)).properties,
  },
  { examples: [{ name: 'Engines' }] },
)

/** A workspace as a program sees it. */
export const WorkspaceProfile = answer('WorkspaceProfile', {
  id: Id,
  slug: Type.String({ examples: ['engines'] }),
  name: WorkspaceName,
  ...brand,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const WorkspaceProfileChange = closed(
  'WorkspaceProfileChange',
  { name: Type.Optional(WorkspaceName), ...Type.Partial(Type.Object(brand)).properties },
  { examples: [{ name: 'Analytical Engines', palette: [{ name: 'Moss', color: '#2f6f4f' }] }] },
)
