import { Type } from 'typebox'
import { SCOPES } from '../../catalogue/scopes.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { NAME_CHARS_MAX } from './accounts.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from './password-rule.ts'
import { ROLES } from './roles.ts'

const ScopeName = oneOf(SCOPES)

export const TokenInfo = answer('TokenInfo', {
  id: Id,
  name: Type.String({ examples: ['shop'] }),
  prefix: nullable(
    Type.String({ description: 'The part of the token that may be shown.', examples: ['prt_1fUQ2bX0yY7c'] }),
  ),
  scopes: Type.Array(ScopeName, { examples: [['events:write']] }),
  expiresAt: nullable(Timestamp),
  revokedAt: nullable(Timestamp),
  lastUsedAt: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const NewToken = closed(
  'NewToken',
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'The purpose of it.', examples: ['shop'] }),
    scopes: Type.Array(ScopeName, {
      minItems: 1,
      maxItems: SCOPES.length,
      description: 'The scopes it has. None that its maker lacks.',
      examples: [['events:write']],
    }),
    expiresAt: Type.Optional(nullable(Timestamp)),
  },
  { examples: [{ name: 'shop', scopes: ['events:write'] }] },
)

export const MadeToken = answer('MadeToken', {
  token: Type.String({ description: 'Shown this once.' }),
  tokenInfo: TokenInfo,
})

/** The caller of the management API: its token, and the workspace it acts in. */
export const Me = answer('Me', {
  ...TokenInfo.properties,
  workspace: Type.Object({ id: Id, slug: Type.String(), name: Type.String() }),
})

/** Shown in mails, so without control characters. */
export const PersonName = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
  examples: ['Ada Lovelace'],
})

export const Membership = answer('Membership', { id: Id, slug: Type.String(), name: Type.String(), role: oneOf(ROLES) })

export const Session = answer('Session', {
  user: Type.Object({ id: Id, email: Type.String(), name: Type.String() }),
  workspaces: Type.Array(Membership),
})

/** The password was right; `POST /site/auth/second-factor` takes the ticket with a code. */
export const SecondFactorRequired = answer('SecondFactorRequired', {
  secondFactor: Type.Literal('required'),
  ticket: Type.String(),
  expiresAt: Timestamp,
})

export const LogInBody = closed(
  'LogInBody',
  {
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX }),
  },
  { examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] },
)

export const PasswordBody = closed(
  'PasswordBody',
  {
    currentPassword: Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX }),
    newPassword: Type.String({ minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX }),
  },
  { examples: [{ currentPassword: 'correct horse battery staple', newPassword: 'a longer horse battery staple' }] },
)
