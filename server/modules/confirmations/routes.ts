import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import {
  CONFIRM_WITHIN_DAYS,
  type ConfirmationDeps,
  type Requested,
  requestConfirmation,
} from './request-confirmations.ts'
import { ConfirmationRequest, SendingSettings, SendingSettingsChange } from './schemas.ts'
import { readSettings, type SettingsDeps, updateSettings } from './update-settings.ts'

export function settingsRoutes(app: HttpApp, deps: SettingsDeps, door: Door): void {
  const path = `${door.base}/sending-settings`
  const operation = (verb: string) => `${door.family}SendingSettings_${verb}`
  const tags = ['Sending settings']
  const params = door.params.slug ? { params: closed(door.params) } : {}

  app.get(
    path,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read how the workspace sends',
        description: 'Double opt-in, what is tracked, and the postal address. With its entity tag, for `If-Match`.',
        ...params,
        response: { 200: SendingSettings },
      },
      config: { ...door.needs('integrations:read'), etag: true },
    },
    async (request) => readSettings(deps, request.caller.workspaceId),
  )

  app.patch(
    path,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change how the workspace sends',
        description:
          'Absent fields stay, null clears the postal address. Switching double opt-in on counts everybody who is a ' +
          'contact then as having agreed (`grandfathered` in their consent history), within moments; only who is new ' +
          'is asked. Mail that is already queued heeds the change.',
        ...params,
        body: SendingSettingsChange,
        response: { 200: SendingSettings, ...problemResponses(412) },
      },
      config: { ...door.needs('integrations:write'), etag: true },
    },
    async (request) => updateSettings(deps, request.caller, { change: request.body, ifMatch: ifMatchOf(request) }),
  )
}

export function confirmationRoutes(app: HttpApp, deps: ConfirmationDeps, door: Door): void {
  app.post(
    `${door.base}/contacts/:contactId/confirmation-request`,
    {
      schema: {
        operationId: `${door.family}Contacts_requestConfirmation`,
        tags: ['Contacts'],
        summary: 'Ask a contact to confirm',
        description:
          'Sends a mail with a link by which the contact confirms that they want marketing mail, whether or not the ' +
          'workspace has double opt-in on: on its own it asks new contacts only. The link works for ' +
          `${CONFIRM_WITHIN_DAYS} days. A contact that has confirmed, or has no address, is a 422; one that was asked ` +
          'less than ten minutes ago a 429.',
        params: closed({ ...door.params, contactId: Id }),
        response: { 202: ConfirmationRequest, ...problemResponses(422, 429) },
      },
      config: door.needs('contacts:write'),
    },
    async (request, reply) => {
      const requested = await requestConfirmation(deps, request.caller, request.params.contactId)
      return reply.code(202).send(confirmationRequestOf(requested))
    },
  )
}

const DAY_MS = 86_400_000

function confirmationRequestOf({ state, ...request }: Requested): ConfirmationRequest {
  const expiresAt = new Date(Date.parse(request.requestedAt) + CONFIRM_WITHIN_DAYS * DAY_MS).toISOString()
  return { ...request, status: state === 'pending' ? 'queued' : state, expiresAt }
}
