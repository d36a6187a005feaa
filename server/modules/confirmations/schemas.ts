import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

const POSTAL_ADDRESS_CHARS_MAX = 500

const fields = {
  doubleOptIn: Type.Boolean({
    description:
      'Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New ' +
      'contacts are asked by mail. Contacts that are there when it is switched on count as having agreed.',
  }),
  trackOpens: Type.Boolean({ description: 'HTML mail holds a picture that tells when it is opened.' }),
  trackClicks: Type.Boolean({ description: 'Links in mail lead by way of this service.' }),
}
const postalAddress = nullable(
  Type.String({
    minLength: 1,
    maxLength: POSTAL_ADDRESS_CHARS_MAX,
    description: 'Where you can be reached by post; many countries ask for it in marketing mail.',
    examples: ['Example Ltd, 1 Example Street, Exampletown'],
  }),
)

export const SendingSettings = answer('SendingSettings', {
  ...fields,
  postalAddress,
  updatedAt: nullable(Type.String({ ...Timestamp, description: 'null while they are as a new workspace has them.' })),
})

export const SendingSettingsChange = closed(
  'SendingSettingsChange',
  {
    doubleOptIn: Type.Optional(fields.doubleOptIn),
    trackOpens: Type.Optional(fields.trackOpens),
    trackClicks: Type.Optional(fields.trackClicks),
    postalAddress: Type.Optional(postalAddress),
  },
  { examples: [{ trackOpens: true }] },
)
export type SendingSettingsChange = Static<typeof SendingSettingsChange>

export const ConfirmationRequest = answer('ConfirmationRequest', {
  id: Id,
  contactId: Id,
  destination: Type.String({ examples: ['ada@example.com'] }),
  messageId: Type.String({ ...Id, description: 'The mail that asks.' }),
  status: oneOf(['queued', 'suppressed', 'skipped'], {
    description: 'suppressed: the address is mailed nothing. skipped: nothing is sent to it for another reason.',
  }),
  requestedAt: Timestamp,
  expiresAt: Type.String({ ...Timestamp, description: 'Until when the link of the mail works.' }),
  confirmedAt: nullable(Timestamp),
})
export type ConfirmationRequest = Static<typeof ConfirmationRequest>
