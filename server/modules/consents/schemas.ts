import { type Static, Type } from 'typebox'
import { answer, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { CONSENT_AUTHORS, CONSENT_CHANGES } from './note-consent-changes.ts'

export const ConsentEntry = answer('ConsentEntry', {
  id: Id,
  at: Timestamp,
  change: oneOf(CONSENT_CHANGES, {
    description:
      'requested: a mail asked for a confirmation. confirmed: the person said yes by its link, or on the preference ' +
      'page. imported: told by the workspace, by an import or for one contact. grandfathered: was a contact when double opt-in was switched on. ' +
      'unsubscribed, resubscribed: wants something no more, or again. tracking_granted, tracking_denied: said on a page that ' +
      'asks before it records; it is about no mail.',
  }),
  sendingSource: nullable(
    Type.String({ description: 'The topic it is about; null is all marketing mail.', examples: ['broadcasts'] }),
  ),
  byWhom: oneOf(CONSENT_AUTHORS, {
    description: 'person: by a link of a mail to their address. workspace: at your word. system: by itself.',
  }),
  ip: nullable(Type.String({ description: 'Where the person was.', examples: ['203.0.113.9'] })),
  messageId: nullable(Type.String({ ...Id, description: 'The message whose link was used, or that asked.' })),
  importId: nullable(
    Type.String({ ...Id, description: 'The import that told of it, which may have been deleted since.' }),
  ),
  formId: nullable(
    Type.String({ ...Id, description: 'The form by which they confirmed, which may have been deleted since.' }),
  ),
  formName: nullable(
    Type.String({ description: 'Its name by now; null when it was deleted.', examples: ['Footer of the shop'] }),
  ),
  wording: nullable(
    Type.String({ description: 'The words with which they were asked.', examples: ['May we count your visits?'] }),
  ),
})
export type ConsentEntry = Static<typeof ConsentEntry>
