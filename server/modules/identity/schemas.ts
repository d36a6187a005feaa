import { type Static, Type } from 'typebox'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { CONSENT_STATES, VisitorId } from '../visitors/schemas.ts'

const kid = Type.String({ ...Id, description: 'Names the key in the head of a token.' })

export const IdentityKey = answer('IdentityKey', { kid, createdAt: Timestamp })
export type IdentityKey = Static<typeof IdentityKey>

export const NewIdentityKey = answer('NewIdentityKey', {
  kid,
  secret: Type.String({ description: 'Shown this once. For your server alone: it signs with this text.' }),
  createdAt: Timestamp,
})
export type NewIdentityKey = Static<typeof NewIdentityKey>

export const IdentityKeyList = answer('IdentityKeyList', { items: Type.Array(IdentityKey) })

export const CONFLICT_KINDS = ['aliases-disagree', 'alias-taken', 'possible-duplicate', 'too-many-visitors'] as const

export const IdentityConflict = answer('IdentityConflict', {
  id: Id,
  kind: oneOf(CONFLICT_KINDS, {
    description:
      'aliases-disagree: your server has named two contacts as one person. alias-taken: it has stated another email or phone ' +
      'of a contact, which another one has. possible-duplicate: a visitor whose page had made the other contact was signed as ' +
      'this one. too-many-visitors: pages claim that too many visitors are this contact.',
  }),
  alias: nullable(oneOf(['email', 'phone'])),
  contactId: Type.String({ ...Id, description: 'The one that the statement was taken to be about.' }),
  otherContactId: nullable(Type.String({ ...Id, description: 'The one that has the alias, or was made by the page.' })),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
})
export type IdentityConflict = Static<typeof IdentityConflict>

export const ResolveBody = closed(
  'IdentityConflictResolution',
  {
    as: oneOf(['merge', 'keep'], {
      description: 'merge: the other contact becomes part of the first. keep: they are two people.',
    }),
  },
  { examples: [{ as: 'keep' }] },
)

const alias = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 1_000, description })))

export const CollectIdentifyBody = closed(
  'CollectIdentifyBody',
  {
    key: Type.Optional(Type.String({ maxLength: 100 })),
    visitorId: VisitorId,
    consent: Type.Optional(oneOf(CONSENT_STATES)),
    token: Type.Optional(nullable(Type.String({ maxLength: 16_384, description: 'Signed by your server.' }))),
    link: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, description: 'By which the page was come to from a mail: `pr_link`.' })),
    ),
    subjectId: alias('Claimed, without a token.'),
    email: alias('Claimed, without a token.'),
    phone: alias('Claimed, without a token.'),
    traits: Type.Optional(Type.Union([FreeForm, Type.Null()], { description: 'Of a claim nothing is written.' })),
  },
  { examples: [{ visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687', email: 'ada@example.com' }] },
)
export type CollectIdentifyBody = Static<typeof CollectIdentifyBody>

export const Identified = answer('CollectIdentified', {
  visitorId: Type.String({
    description: 'The one to go on with: another one where this is another person than before.',
  }),
})
