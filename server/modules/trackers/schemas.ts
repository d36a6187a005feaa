import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const CONSENT_MODES = ['required', 'implied', 'cookieless'] as const
export const IDENTIFY_MODES = ['signed', 'unsigned'] as const

const ORIGINS_MAX = 100
const ACTIONS_MAX = 200
const Action = Type.String({ minLength: 1, maxLength: 200, examples: ['page.view'] })

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Shop'] }),
  allowedOrigins: Type.Array(Type.String({ maxLength: 300, examples: ['https://shop.example'] }), {
    maxItems: ORIGINS_MAX,
    description: 'Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any.',
  }),
  consentMode: oneOf(CONSENT_MODES, {
    description:
      'required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without ' +
      'any id; events count, nobody is recognised.',
  }),
  identify: oneOf(IDENTIFY_MODES, {
    description:
      'signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which ' +
      'proves nothing and changes nobody who is known.',
  }),
  allowedActions: Type.Array(Action, {
    maxItems: ACTIONS_MAX,
    description: 'Names that browsers may record. Empty: any.',
  }),
  serverOnlyActions: Type.Array(Action, {
    maxItems: ACTIONS_MAX,
    description: 'Names that are refused from browsers, such as order.paid.',
  }),
  respectGpc: Type.Boolean({
    description: 'Whether Global Privacy Control counts as a no where consent is implied, until the person grants it.',
  }),
  linkIdentity: Type.Boolean({
    description:
      'Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded.',
  }),
  autoMerge: Type.Boolean({
    description:
      'Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases.',
  }),
  paused: Type.Boolean({ description: 'Whether what comes in under its key is dropped.' }),
}

export const Tracker = answer('Tracker', {
  id: Id,
  ...fields,
  key: Type.String({
    description: 'For pages; no secret. Sent as `x-collect-key`, or as `key` in the body.',
    examples: ['prc_4fK0aZq81LmB2nXc7RtY1dQ9sW'],
  }),
  previousKeyUntil: nullable({
    ...Timestamp,
    description: 'Until when the key before the last rotation is good as well.',
  } as typeof Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Tracker = Static<typeof Tracker>

const optional = Type.Partial(Type.Object(fields)).properties

export const TrackerBody = closed(
  'TrackerBody',
  { ...optional, name: fields.name },
  { examples: [{ name: 'Shop', allowedOrigins: ['https://shop.example'], consentMode: 'required' }] },
)
export type TrackerBody = Static<typeof TrackerBody>

export const TrackerChange = closed('TrackerChange', optional, {
  examples: [{ allowedOrigins: ['https://shop.example', 'https://*.shop.example'] }],
})
export type TrackerChange = Static<typeof TrackerChange>

export const TRACKER_WARNINGS = ['any-origin', 'paused', 'origins-refused', 'no-events'] as const

export const TrackerHealth = answer('TrackerHealth', {
  days: Type.Integer({ description: 'How many days the numbers are of, today among them.', examples: [7] }),
  lastEventAt: nullable({ ...Timestamp, description: 'Null: none in these days.' } as typeof Timestamp),
  recorded: Type.Integer({ description: 'Events that were taken.' }),
  rejected: Type.Integer({ description: 'Events that do not fit; the answer named each.' }),
  dropped: Type.Object(
    {
      bot: Type.Integer({ description: 'Of programs that say what they are, or fetch as no browser does.' }),
      consent: Type.Integer({ description: 'Without consent.' }),
      gpc: Type.Integer({ description: 'With Global Privacy Control, and no consent.' }),
      paused: Type.Integer({ description: 'While the tracker was paused.' }),
    },
    { description: 'Events that were answered as if they had been taken.' },
  ),
  signedShare: nullable(Type.Number({ description: 'Of those who were identified; null: nobody was.' })),
  refusedOrigins: Type.Array(Type.Object({ origin: Type.String(), requests: Type.Integer(), lastAt: Timestamp }), {
    description: 'Pages that are not allowed, the last first.',
  }),
  warnings: Type.Array(oneOf(TRACKER_WARNINGS)),
})
export type TrackerHealth = Static<typeof TrackerHealth>
