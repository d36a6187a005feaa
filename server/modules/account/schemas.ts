import { Type } from 'typebox'
import { EMAIL_BYTES_MAX } from '../../platform/mail/mail-address.ts'
import { answer, closed, Id, nullable, Timestamp } from '../../platform/schema/schemas.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../auth/password-rule.ts'
import { PersonName } from '../auth/schemas.ts'

export const Account = answer('Account', {
  id: Id,
  email: Type.String({ examples: ['ada@example.com'] }),
  name: Type.String({ examples: ['Ada Lovelace'] }),
  secondFactor: Type.Boolean({ description: 'Whether logging in asks for a code besides the password.' }),
  passwordChangedAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const AccountChange = closed(
  'AccountChange',
  {
    name: Type.Optional(PersonName),
  },
  { examples: [{ name: 'Ada Lovelace' }] },
)

export const SessionInfo = answer('SessionInfo', {
  id: Id,
  createdAt: Timestamp,
  lastSeenAt: Type.String({ format: 'date-time', description: 'To the minute.' }),
  ip: nullable(Type.String({ description: 'Where it was opened from.' })),
  userAgent: nullable(Type.String()),
  current: Type.Boolean({ description: 'Whether it is the one in use.' }),
})

export const ResetRequestBody = closed(
  'PasswordResetRequestBody',
  {
    email: Type.String({ minLength: 3, maxLength: EMAIL_BYTES_MAX, examples: ['ada@example.com'] }),
  },
  { examples: [{ email: 'ada@example.com' }] },
)

export const ResetBody = closed(
  'PasswordResetBody',
  {
    password: Type.String({ minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX }),
  },
  { examples: [{ password: 'correct horse battery staple' }] },
)

/** The part of a reset that the holder of its link sees. */
export const OpenReset = answer('OpenPasswordReset', {
  email: Type.String({ examples: ['ada@example.com'] }),
  expiresAt: Timestamp,
})

/** The same whether or not there is such an account. */
export const ResetRequested = answer('PasswordResetRequested', { status: Type.Literal('accepted') })
