import { Type } from 'typebox'
import { EMAIL_BYTES_MAX } from '../../platform/mail/mail-address.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../auth/password-rule.ts'
import { ROLES } from '../auth/roles.ts'
import { PersonName } from '../auth/schemas.ts'

const Email = Type.String({ examples: ['ada@example.com'] })
const RoleName = oneOf(ROLES)

export const Member = answer('Member', {
  id: Id,
  email: Email,
  name: Type.String({ examples: ['Ada Lovelace'] }),
  role: RoleName,
  secondFactor: Type.Boolean({ description: 'Whether they have one.' }),
  createdAt: Type.String({ format: 'date-time', description: 'When they joined.' }),
  updatedAt: Timestamp,
})

export const RoleBody = closed('MemberRoleBody', { role: RoleName }, { examples: [{ role: 'member' }] })

export const Invitation = answer('Invitation', {
  id: Id,
  email: Email,
  role: RoleName,
  inviterName: nullable(Type.String()),
  expired: Type.Boolean({ description: 'Its link is over; send it again for a new one.' }),
  overBecause: nullable(
    oneOf(['time', 'inviter'], {
      description: 'time: its seven days are over. inviter: whoever sent it may invite to its role no more.',
    }),
  ),
  expiresAt: Timestamp,
  sentAt: Type.String({ format: 'date-time', description: 'When its link was made.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** The answer to whoever invites. */
export const SentInvitation = answer('SentInvitation', {
  ...Invitation.properties,
  link: nullable(
    Type.String({ description: 'Only where this instance sends no mail: hand it over yourself. Shown this once.' }),
  ),
})

export const InvitationBody = closed(
  'InvitationBody',
  {
    email: Type.String({ minLength: 3, maxLength: EMAIL_BYTES_MAX, examples: ['ada@example.com'] }),
    role: RoleName,
  },
  { examples: [{ email: 'ada@example.com', role: 'member' }] },
)

/** The part of an invitation that the holder of its link sees. */
export const OpenInvitation = answer('OpenInvitation', {
  workspace: Type.Object({ name: Type.String() }),
  email: Email,
  role: RoleName,
  inviterName: nullable(Type.String()),
  accountExists: Type.Boolean({
    description: 'Whether to log in as this email, or to choose a name and a password.',
  }),
  expiresAt: Timestamp,
})

export const AcceptBody = closed(
  'InvitationAcceptBody',
  {
    name: Type.Optional(PersonName),
    password: Type.Optional(Type.String({ minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX })),
  },
  { examples: [{ name: 'Ada Lovelace', password: 'correct horse battery staple' }] },
)
