import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { CAP_DAYS_MAX, CAP_MESSAGES_MAX, CAP_WAIT_HOURS_MAX } from '../sending/restraint/restraints.ts'

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

const TIME_OF_DAY = '^([01][0-9]|2[0-3]):[0-5][0-9]$'
const MARKETING_ALONE = 'It is of marketing mail alone, that of broadcasts and of automations. Null: there is none.'
const time = (example: string) => Type.String({ pattern: TIME_OF_DAY, examples: [example] })
const quietHoursFields = {
  from: time('21:00'),
  until: time('08:00'),
  zone: Type.String({
    ...{ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] },
    description: 'The time zone of people who have none of their own.',
  }),
}
const quietHoursText = `The hours at which nobody is mailed, by the clock of each person. ${MARKETING_ALONE}`
const frequencyCapFields = {
  messages: Type.Integer({ minimum: 1, maximum: CAP_MESSAGES_MAX, examples: [3] }),
  days: Type.Integer({ minimum: 1, maximum: CAP_DAYS_MAX, examples: [7] }),
  waitHours: Type.Integer({
    ...{ minimum: 0, maximum: CAP_WAIT_HOURS_MAX, examples: [72] },
    description: 'How long a mail without room waits for it. Then it is skipped, as `frequency_cap`.',
  }),
}
const frequencyCapText = `So many mails within so many days a person. ${MARKETING_ALONE}`

export const SendingSettings = answer('SendingSettings', {
  ...fields,
  postalAddress,
  quietHours: nullable(Type.Object(quietHoursFields, { description: quietHoursText })),
  frequencyCap: nullable(Type.Object(frequencyCapFields, { description: frequencyCapText })),
  updatedAt: nullable(Type.String({ ...Timestamp, description: 'null while they are as a new workspace has them.' })),
})

export const SendingSettingsChange = closed(
  'SendingSettingsChange',
  {
    doubleOptIn: Type.Optional(fields.doubleOptIn),
    trackOpens: Type.Optional(fields.trackOpens),
    trackClicks: Type.Optional(fields.trackClicks),
    postalAddress: Type.Optional(postalAddress),
    quietHours: Type.Optional(nullable(closed(quietHoursFields, { description: quietHoursText }))),
    frequencyCap: Type.Optional(nullable(closed(frequencyCapFields, { description: frequencyCapText }))),
  },
  {
    examples: [
      { trackOpens: true },
      {
        quietHours: { from: '21:00', until: '08:00', zone: 'Europe/Berlin' },
        frequencyCap: { messages: 3, days: 7, waitHours: 72 },
      },
    ],
  },
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
