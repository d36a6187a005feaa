import { DAY_MS } from '../../platform/durations.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { type Door, routesOf } from '../door.ts'
import {
  CONFIRM_WITHIN_DAYS,
  type ConfirmationDeps,
  type Requested,
  requestConfirmation,
} from './request-confirmations.ts'
import { ConfirmationRequest, SendingSettings, SendingSettingsChange } from './schemas.ts'
import { readSettings, type SettingsDeps, updateSettings } from './update-settings.ts'

export function settingsRoutes(app: HttpApp, deps: SettingsDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/sending-settings', family: 'SendingSettings', tag: 'Sending settings' })

  routes.get('', 'get', {
    needs: 'integrations:read',
    summary: 'Read how the workspace sends',
    description:
      'Double opt-in, what is tracked, the postal address, quiet hours and how often one person is written to. With its ' +
      'entity tag, for `If-Match`.',
    answers: { 200: SendingSettings },
    etag: true,
    handle: async (request) => readSettings(deps, request.caller.workspaceId),
  })

  routes.patch('', 'update', {
    needs: 'integrations:write',
    summary: 'Change how the workspace sends',
    description:
      'Absent fields stay, null clears. Switching double opt-in on counts everybody who is a ' +
      'contact then as having agreed (`grandfathered` in their consent history), within moments; only who is new ' +
      'is asked. Mail that is already queued heeds the change.',
    body: SendingSettingsChange,
    answers: { 200: SendingSettings },
    problems: [412, 422],
    etag: true,
    handle: async (request) =>
      updateSettings(deps, request.caller, { change: request.body, ifMatch: ifMatchOf(request) }),
  })
}

export function confirmationRoutes(app: HttpApp, deps: ConfirmationDeps, door: Door): void {
  routesOf(app, door, { family: 'Contacts' }).post('/contacts/:contactId/confirmation-request', 'requestConfirmation', {
    needs: 'contacts:write',
    summary: 'Ask a contact to confirm',
    description:
      'Sends a mail with a link by which the contact confirms that they want marketing mail, whether or not the ' +
      'workspace has double opt-in on: on its own it asks new contacts only. The link works for ' +
      `${CONFIRM_WITHIN_DAYS} days. A contact that has confirmed, or has no address, is a 422; one that was asked ` +
      'less than ten minutes ago a 429.',
    answers: { 202: ConfirmationRequest },
    problems: [422, 429],
    handle: async (request) => {
      const requested = await requestConfirmation(deps, request.caller, request.params.contactId)
      return confirmationRequestOf(requested)
    },
  })
}

function confirmationRequestOf({ state, ...request }: Requested): ConfirmationRequest {
  const expiresAt = new Date(Date.parse(request.requestedAt) + CONFIRM_WITHIN_DAYS * DAY_MS).toISOString()
  return { ...request, status: state === 'pending' ? 'queued' : state, expiresAt }
}
