import { type TProperties, type TSchema, Type } from 'typebox'
import { CONTACT_FIELD_NAMES } from '../../catalogue/contact-fields.ts'
import { type DomainEventType, type RECORDED_EVENT, WEBHOOK_TEST } from '../../catalogue/domain-events.ts'
import { BROWSER_SOURCES, PROOFS } from '../../catalogue/proofs.ts'
import { PROVIDERS } from '../../catalogue/providers.ts'
import { FreeForm, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { SURFACES } from '../sending/ledger/surface.ts'
import { PURPOSES } from '../sending/message-source.ts'

/** Ids are JSON integers here: up to 64 bits, so that a parser must keep their digits. */
export const integerId = (example: number) => Type.Integer({ minimum: 1, format: 'int64', examples: [example] })

const email = Type.String({ examples: ['ada@example.com'] })
const workspaceId = integerId(1)
const contactId = integerId(7)

const aliases = {
  workspaceId,
  contactId,
  subjectId: nullable(Type.String({ examples: ['user-42'] })),
  email: Type.String({ description: '`""` when there is none.', examples: ['ada@example.com'] }),
  phone: nullable(Type.String({ examples: ['+44 20 7946 0958'] })),
}
const changedFields = Type.Array(oneOf([...CONTACT_FIELD_NAMES, 'customFields']), { examples: [['firstName']] })
const tag = { tagId: integerId(3), tag: Type.String({ examples: ['VIP'] }) }
/** Of what a run of an automation has done; absent otherwise. */
const cause = Type.Object(
  { automationId: integerId(7), runId: integerId(9), depth: Type.Integer({ examples: [1] }) },
  { description: 'The run of an automation that did it, and how many automations have led to each other up to it.' },
)
const segment = { workspaceId, segmentId: integerId(5), name: Type.String({ examples: ['Active customers'] }) }
const broadcast = (...statuses: string[]) => ({
  workspaceId,
  broadcastId: integerId(3),
  name: Type.String({ examples: ['November news'] }),
  status: oneOf(statuses),
})

/** A run of an automation, and whose it is. */
const run = {
  ...aliases,
  automationId: integerId(8),
  name: Type.String({ examples: ['Forgotten carts'] }),
  version: Type.Integer({ examples: [3] }),
  runId: integerId(9),
  entryKey: Type.String({ description: 'What tells entries of one contact apart; `""` without.', examples: ['c42'] }),
  enteredAt: Timestamp,
  cause,
}
const endOfRun = {
  endedAt: Type.String({ ...Timestamp, description: 'By the run’s own clock.' }),
  node: Type.String({ description: 'Where it ended.', examples: ['remind'] }),
}

const address = { workspaceId, contactId: Type.Optional(contactId), email }
/** A message, what it is for, and the broadcast or automation it is of. */
const message = {
  messageId: integerId(42),
  purpose: oneOf(PURPOSES),
  surface: oneOf(SURFACES),
  broadcastId: Type.Optional(integerId(3)),
  automationId: Type.Optional(integerId(8)),
  metadata: Type.Optional({
    ...FreeForm,
    description: 'As it was given with the message (`POST /emails`); absent without any.',
  }),
}
/** The same where only the address may be known. */
const perhapsMessage = Type.Partial(Type.Object(message)).properties
const via = {
  provider: nullable(oneOf(PROVIDERS, { description: 'Null when it is not known.' })),
  sendingDomain: nullable(Type.String({ examples: ['example.com'] })),
}
const detail = nullable(Type.String({ description: 'The words of the report.', examples: ['550 5.1.1 User unknown'] }))
const machine = Type.Boolean({ description: 'Whether a scanner or a proxy did it, as far as we see.' })

type EventData = { when: string; data: TProperties; aboutContact: 'always' | 'perhaps' | 'never' }

/** The data of each event that the system delivers under a name of its own, and when it does. */
export const EVENT_DATA: Readonly<Record<DomainEventType | typeof WEBHOOK_TEST, EventData>> = {
  'contact.created': { when: 'A contact was created.', data: aliases, aboutContact: 'always' },
  'contact.updated': {
    when: 'A contact was changed; not for a change that changes nothing.',
    data: { ...aliases, changed: changedFields, cause: Type.Optional(cause) },
    aboutContact: 'always',
  },
  'contact.erased': {
    when: 'A person was erased: named by the id alone.',
    data: {
      workspaceId,
      contactId,
      identifierKind: oneOf(['contactId']),
      operatorKind: oneOf(['user', 'api_token', 'operator', 'system'], { description: 'On whose behalf.' }),
      operatorId: nullable(Type.String({ examples: ['3'] })),
    },
    aboutContact: 'always',
  },
  'contact.merged': {
    when: 'Another contact was merged into this one.',
    data: { ...aliases, mergedContactId: integerId(9), changed: changedFields },
    aboutContact: 'always',
  },
  'contact.identified': {
    when: 'A browser was recognised as a contact’s, and what it had done before is in the contact’s timeline.',
    data: {
      workspaceId,
      contactId,
      visitorId: Type.String({ examples: ['0f8b2c6de1a94f0bb1f0c3d2e4a59687'] }),
      proof: oneOf(PROOFS),
      attached: Type.Integer({ description: 'Events that were attached.', examples: [3] }),
    },
    aboutContact: 'always',
  },
  'contact.tagged': {
    when: 'A contact got a tag that it did not have.',
    data: { ...aliases, ...tag, cause: Type.Optional(cause) },
    aboutContact: 'always',
  },
  'contact.untagged': {
    when: 'A contact lost a tag.',
    data: { ...aliases, ...tag, cause: Type.Optional(cause) },
    aboutContact: 'always',
  },
  'segment.created': { when: 'A segment was created.', data: segment, aboutContact: 'never' },
  'segment.updated': {
    when: 'A segment was changed.',
    data: { ...segment, changed: Type.Array(oneOf(['name', 'definition'])) },
    aboutContact: 'never',
  },
  'segment.deleted': { when: 'A segment was deleted.', data: segment, aboutContact: 'never' },
  'segment.entered': {
    when: 'A contact came into a segment that an automation listens to.',
    data: { ...aliases, ...segment },
    aboutContact: 'always',
  },
  'segment.left': {
    when: 'A contact went out of a segment that an automation listens to.',
    data: { ...aliases, ...segment },
    aboutContact: 'always',
  },
  'broadcast.started': {
    when: 'A broadcast was sent, or started at its time.',
    data: broadcast('sending'),
    aboutContact: 'never',
  },
  'broadcast.finished': {
    when: 'All messages of a broadcast are settled, or it was canceled or failed.',
    data: broadcast('sent', 'canceled', 'failed'),
    aboutContact: 'never',
  },
  'email.sent': {
    when: 'A message was handed over: the mail server, or SES, took it.',
    data: {
      ...address,
      ...message,
      ...via,
      providerMessageId: nullable(Type.String({ description: 'The name of the message at the provider.' })),
    },
    aboutContact: 'perhaps',
  },
  'email.opened': {
    when: 'The picture of a message was loaded.',
    data: { ...address, ...message, machine },
    aboutContact: 'perhaps',
  },
  'email.clicked': {
    when: 'A link of a message was followed.',
    data: {
      ...address,
      ...message,
      url: Type.String({ examples: ['https://example.com/spring'] }),
      link: Type.Integer({ description: 'Position of the link in the template, from 0.', examples: [0] }),
      machine,
    },
    aboutContact: 'perhaps',
  },
  'email.unsubscribed': {
    when: 'An address wants no more of something; not for what it had left already.',
    data: {
      ...address,
      ...perhapsMessage,
      sendingSource: Type.String({
        description: '`broadcasts`, `topic:<id>`, `automation:<id>`, `automations` or `everything`.',
        examples: ['broadcasts'],
      }),
      except: Type.Optional(
        Type.String({ description: 'With `automations`: the one that it still wants.', examples: ['automation:7'] }),
      ),
    },
    aboutContact: 'perhaps',
  },
  'email.bounced': {
    when: 'A message came back, at once or later.',
    data: {
      ...address,
      ...perhapsMessage,
      ...via,
      bounceKind: oneOf(['permanent', 'transient'], { description: 'permanent: the address does not exist any more.' }),
      reason: Type.String({ description: 'The cause the receiver gave.', examples: ['address_refused'] }),
      detail,
    },
    aboutContact: 'perhaps',
  },
  'email.complained': {
    when: 'A receiver reported a message as spam.',
    data: { ...address, ...perhapsMessage, ...via, detail },
    aboutContact: 'perhaps',
  },
  'marketing.confirmed': {
    when: 'A contact confirmed by the link of a mail that they want marketing mail.',
    data: {
      workspaceId,
      contactId,
      email,
      provenance: oneOf(['double_opt_in']),
      ip: Type.Optional(Type.String({ description: 'Where the person was.', examples: ['203.0.113.9'] })),
    },
    aboutContact: 'always',
  },
  'automation.entered': {
    when: 'A contact came into an automation; not for one who is held out.',
    data: run,
    aboutContact: 'always',
  },
  'automation.completed': {
    when: 'A contact came to the end of an automation.',
    data: { ...run, ...endOfRun },
    aboutContact: 'always',
  },
  'automation.exited': {
    when: 'A contact left an automation before its end.',
    data: { ...run, ...endOfRun, reason: Type.String({ description: 'Why.', examples: ['criterion'] }) },
    aboutContact: 'always',
  },
  'automation.goal_reached': {
    when: 'The goal of an automation, for the first time of a run.',
    data: {
      ...run,
      goalAt: Timestamp,
      value: nullable(Type.Number({ description: 'Of the property that the goal sums up.', examples: [49.9] })),
    },
    aboutContact: 'always',
  },
  'form.confirmed': {
    when: 'Somebody who filled in a form confirmed it by the link of a mail.',
    data: {
      workspaceId,
      contactId,
      email,
      formId: integerId(2),
      form: Type.String({ description: 'Its name, as it was then.', examples: ['Footer of the shop'] }),
      version: Type.Integer({ description: 'Of the form, as it was filled in.', examples: [3] }),
      submissionId: integerId(17),
    },
    aboutContact: 'always',
  },
  'automation.called': {
    when: 'A step of an automation calls this endpoint; no other gets it.',
    data: {
      ...run,
      endpointId: integerId(4),
      node: Type.String({ examples: ['call'] }),
      visit: Type.Integer({ description: 'Counted from 1: with `runId` it is one of its kind.', examples: [2] }),
      properties: { ...FreeForm, description: 'Those of the step.' },
      trigger: nullable({
        ...FreeForm,
        description: 'Properties of what brought the contact in; null without an event.',
      }),
    },
    aboutContact: 'always',
  },
  [WEBHOOK_TEST]: { when: 'Somebody asked for a test.', data: {}, aboutContact: 'never' },
}

/** The data of an event that was recorded by a caller; what it did not have is absent. */
export const RECORDED_EVENT_DATA: Readonly<Record<typeof RECORDED_EVENT, EventData>> = {
  'event.recorded': {
    when: 'An event was recorded, under its own `action`.',
    data: {
      workspaceId,
      contactId: Type.Optional(contactId),
      subjectId: Type.Optional(Type.String({ examples: ['user-42'] })),
      action: Type.String({ examples: ['order.paid'] }),
      email: Type.Optional(email),
      phone: Type.Optional(Type.String()),
      visitorId: Type.Optional(
        Type.String({ description: 'The browser it is of.', examples: ['0f8b2c6de1a94f0bb1f0c3d2e4a59687'] }),
      ),
      source: Type.Optional(oneOf(BROWSER_SOURCES, { description: 'Where it came in, if not by the API.' })),
      proof: Type.Optional(
        oneOf(PROOFS, { description: 'How well it is proven who it was; absent where a server has said it.' }),
      ),
      properties: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        examples: [{ total: 12.5 }],
      } as TSchema),
      occurredAt: Timestamp,
    },
    aboutContact: 'perhaps',
  },
}
