import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { validate } from '@scalar/openapi-validator'
import { isScope } from '../../server/catalogue/scopes.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi, type Operation } from './described-api.ts'
import { parseExposition } from './exposition.ts'

/** Operations of the specification (Endpoints; decisions 5, 9, 11 to 15): operation, method, path, scope. */
const SPECIFIED: readonly (readonly [operationId: string, method: string, path: string, scope: string])[] = [
  ['Auth_me', 'GET', '/api/auth/me', 'any'],
  ['Tokens_list', 'GET', '/api/auth/tokens', 'tokens:read'],
  ['Tokens_create', 'POST', '/api/auth/tokens', 'tokens:write'],
  ['Tokens_revoke', 'DELETE', '/api/auth/tokens/{id}', 'tokens:write'],
  ['AuditEntries_list', 'GET', '/api/audit-entries', 'audit:read'],
  ['AuditEntries_export', 'GET', '/api/audit-entries/export', 'audit:read'],
  ['AuditEntries_verify', 'GET', '/api/audit-entries/verify', 'audit:read'],
  ['Contacts_list', 'GET', '/api/contacts', 'contacts:read'],
  ['Contacts_create', 'POST', '/api/contacts', 'contacts:write'],
  ['Contacts_upsert', 'PUT', '/api/contacts', 'contacts:write'],
  ['Contacts_get', 'GET', '/api/contacts/{contactId}', 'contacts:read'],
  ['Contacts_update', 'PATCH', '/api/contacts/{contactId}', 'contacts:write'],
  ['Contacts_erase', 'DELETE', '/api/contacts/{contactId}', 'contacts:erase'],
  ['Contacts_merge', 'POST', '/api/contacts/{contactId}/merge', 'contacts:write'],
  ['Contacts_listMerges', 'GET', '/api/contacts/{contactId}/merges', 'contacts:read'],
  ['Contacts_exportData', 'GET', '/api/contacts/{contactId}/export', 'contacts:read'],
  ['Contacts_listEvents', 'GET', '/api/contacts/{contactId}/events', 'events:read'],
  ['Contacts_upsertBatch', 'POST', '/api/contacts/batch', 'contacts:write'],
  ['Imports_list', 'GET', '/api/contacts/imports', 'contacts:read'],
  ['Imports_create', 'POST', '/api/contacts/imports', 'contacts:write'],
  ['Imports_get', 'GET', '/api/contacts/imports/{id}', 'contacts:read'],
  ['Imports_start', 'POST', '/api/contacts/imports/{id}/start', 'contacts:write'],
  ['Imports_cancel', 'POST', '/api/contacts/imports/{id}/cancel', 'contacts:write'],
  ['Imports_delete', 'DELETE', '/api/contacts/imports/{id}', 'contacts:write'],
  ['Imports_listErrors', 'GET', '/api/contacts/imports/{id}/errors', 'contacts:read'],
  ['Imports_downloadErrors', 'GET', '/api/contacts/imports/{id}/errors.csv', 'contacts:read'],
  ['Segments_list', 'GET', '/api/segments', 'segments:read'],
  ['Segments_create', 'POST', '/api/segments', 'segments:write'],
  ['Segments_get', 'GET', '/api/segments/{id}', 'segments:read'],
  ['Segments_update', 'PATCH', '/api/segments/{id}', 'segments:write'],
  ['Segments_delete', 'DELETE', '/api/segments/{id}', 'segments:write'],
  ['Segments_preview', 'POST', '/api/segments/preview', 'segments:read'],
  ['Segments_explainContact', 'GET', '/api/segments/{id}/contacts/{contactId}/explain', 'segments:read'],
  ['Segments_previewStored', 'GET', '/api/segments/{id}/preview', 'segments:read'],
  ['Assets_list', 'GET', '/api/assets', 'templates:read'],
  ['Assets_create', 'POST', '/api/assets', 'templates:write'],
  ['Assets_get', 'GET', '/api/assets/{id}', 'templates:read'],
  ['Assets_delete', 'DELETE', '/api/assets/{id}', 'templates:write'],
  ['SavedBlocks_list', 'GET', '/api/saved-blocks', 'templates:read'],
  ['SavedBlocks_create', 'POST', '/api/saved-blocks', 'templates:write'],
  ['SavedBlocks_get', 'GET', '/api/saved-blocks/{id}', 'templates:read'],
  ['SavedBlocks_update', 'PATCH', '/api/saved-blocks/{id}', 'templates:write'],
  ['SavedBlocks_delete', 'DELETE', '/api/saved-blocks/{id}', 'templates:write'],
  ['Templates_list', 'GET', '/api/templates', 'templates:read'],
  ['Templates_create', 'POST', '/api/templates', 'templates:write'],
  ['Templates_listSamples', 'GET', '/api/templates/samples', 'templates:read'],
  ['Templates_preview', 'POST', '/api/templates/preview', 'templates:read'],
  ['Templates_get', 'GET', '/api/templates/{id}', 'templates:read'],
  ['Templates_update', 'PATCH', '/api/templates/{id}', 'templates:write'],
  ['Templates_delete', 'DELETE', '/api/templates/{id}', 'templates:write'],
  ['Templates_previewStored', 'POST', '/api/templates/{id}/preview', 'templates:read'],
  ['Templates_listVersions', 'GET', '/api/templates/{id}/versions', 'templates:read'],
  ['Templates_getVersion', 'GET', '/api/templates/{id}/versions/{version}', 'templates:read'],
  ['Templates_restoreVersion', 'POST', '/api/templates/{id}/versions/{version}/restore', 'templates:write'],
  ['Approvals_create', 'POST', '/api/approvals', 'mcp:send'],
  ['Approvals_list', 'GET', '/api/approvals', 'approvals:read'],
  ['Approvals_ownPolicy', 'GET', '/api/approvals/policy', 'approvals:read'],
  ['Approvals_get', 'GET', '/api/approvals/{id}', 'approvals:read'],
  ['Broadcasts_list', 'GET', '/api/broadcasts', 'broadcasts:read'],
  ['Broadcasts_create', 'POST', '/api/broadcasts', 'broadcasts:write'],
  ['Broadcasts_get', 'GET', '/api/broadcasts/{id}', 'broadcasts:read'],
  ['Broadcasts_draftForUnopened', 'POST', '/api/broadcasts/{id}/draft-for-unopened', 'broadcasts:write'],
  ['Broadcasts_update', 'PATCH', '/api/broadcasts/{id}', 'broadcasts:write'],
  ['Broadcasts_delete', 'DELETE', '/api/broadcasts/{id}', 'broadcasts:write'],
  ['Broadcasts_setAudience', 'PUT', '/api/broadcasts/{id}/audience', 'broadcasts:write'],
  ['Broadcasts_send', 'POST', '/api/broadcasts/{id}/send', 'broadcasts:send'],
  ['Broadcasts_schedule', 'POST', '/api/broadcasts/{id}/schedule', 'broadcasts:send'],
  ['Broadcasts_unschedule', 'POST', '/api/broadcasts/{id}/unschedule', 'broadcasts:send'],
  ['Broadcasts_pause', 'POST', '/api/broadcasts/{id}/pause', 'broadcasts:send'],
  ['Broadcasts_resume', 'POST', '/api/broadcasts/{id}/resume', 'broadcasts:send'],
  ['Broadcasts_cancel', 'POST', '/api/broadcasts/{id}/cancel', 'broadcasts:send'],
  ['Broadcasts_retryFailed', 'POST', '/api/broadcasts/{id}/retry-failed', 'broadcasts:send'],
  ['Broadcasts_resolveUncertain', 'POST', '/api/broadcasts/{id}/resolve-uncertain', 'broadcasts:send'],
  ['Broadcasts_preflight', 'GET', '/api/broadcasts/{id}/preflight', 'broadcasts:read'],
  ['Broadcasts_testSend', 'POST', '/api/broadcasts/{id}/test-send', 'broadcasts:send'],
  ['Broadcasts_explain', 'GET', '/api/broadcasts/{id}/explain', 'broadcasts:read'],
  ['Broadcasts_report', 'GET', '/api/broadcasts/{id}/report', 'broadcasts:read'],
  ['Broadcasts_heatMap', 'GET', '/api/broadcasts/{id}/heat-map', 'broadcasts:read'],
  ['Broadcasts_series', 'GET', '/api/broadcasts/{id}/series', 'broadcasts:read'],
  ['Broadcasts_recipients', 'GET', '/api/broadcasts/{id}/recipients', 'broadcasts:read'],
  ['Broadcasts_exportRecipients', 'GET', '/api/broadcasts/{id}/recipients/export', 'broadcasts:read'],
  ['Broadcasts_explainRecipient', 'GET', '/api/broadcasts/{id}/recipients/{contactId}/explain', 'broadcasts:read'],
  ['Exports_list', 'GET', '/api/contacts/exports', 'contacts:read'],
  ['Exports_create', 'POST', '/api/contacts/exports', 'contacts:read'],
  ['Exports_get', 'GET', '/api/contacts/exports/{id}', 'contacts:read'],
  ['Exports_download', 'GET', '/api/contacts/exports/{id}/file', 'contacts:read'],
  ['Events_list', 'GET', '/api/events', 'events:read'],
  ['Events_listActions', 'GET', '/api/events/actions', 'events:read'],
  ['Events_create', 'POST', '/api/events', 'events:write'],
  ['Events_createBatch', 'POST', '/api/events/batch', 'events:write'],
  ['Emails_list', 'GET', '/api/emails', 'emails:send'],
  ['Emails_send', 'POST', '/api/emails', 'emails:send'],
  ['Emails_sendBatch', 'POST', '/api/emails/batch', 'emails:send'],
  ['Emails_get', 'GET', '/api/emails/{id}', 'emails:send'],
  ['Emails_cancel', 'POST', '/api/emails/{id}/cancel', 'emails:send'],
  ['Emails_resolve', 'POST', '/api/emails/{id}/resolve', 'emails:send'],
  ['Messages_list', 'GET', '/api/messages', 'contacts:read'],
  ['Messages_content', 'GET', '/api/messages/{id}/content', 'contacts:read'],
  ['Messages_explain', 'GET', '/api/messages/{id}/explain', 'contacts:read'],
  ['Contacts_listConsents', 'GET', '/api/contacts/{contactId}/consents', 'contacts:read'],
  ['Contacts_listVisitors', 'GET', '/api/contacts/{contactId}/visitors', 'contacts:read'],
  ['Contacts_requestConfirmation', 'POST', '/api/contacts/{contactId}/confirmation-request', 'contacts:write'],
  ['SendingSettings_get', 'GET', '/api/sending-settings', 'integrations:read'],
  ['SendingSettings_update', 'PATCH', '/api/sending-settings', 'integrations:write'],
  ['BulkActs_preview', 'POST', '/api/contacts/bulk-acts/preview', 'contacts:read'],
  ['BulkActs_create', 'POST', '/api/contacts/bulk-acts', 'contacts:write'],
  ['BulkActs_erase', 'POST', '/api/contacts/bulk-acts/erase', 'contacts:erase'],
  ['BulkActs_list', 'GET', '/api/contacts/bulk-acts', 'contacts:read'],
  ['BulkActs_get', 'GET', '/api/contacts/bulk-acts/{id}', 'contacts:read'],
  ['BulkActs_cancel', 'POST', '/api/contacts/bulk-acts/{id}/cancel', 'contacts:write'],
  ['BulkActs_undo', 'POST', '/api/contacts/bulk-acts/{id}/undo', 'contacts:write'],
  ['Topics_list', 'GET', '/api/topics', 'contacts:read'],
  ['Topics_create', 'POST', '/api/topics', 'contacts:write'],
  ['Topics_get', 'GET', '/api/topics/{id}', 'contacts:read'],
  ['Topics_update', 'PATCH', '/api/topics/{id}', 'contacts:write'],
  ['Topics_delete', 'DELETE', '/api/topics/{id}', 'contacts:write'],
  ['ContactTopics_list', 'GET', '/api/contacts/{contactId}/topics', 'contacts:read'],
  ['ContactTopics_set', 'PUT', '/api/contacts/{contactId}/topics/{topicId}', 'contacts:write'],
  ['Trackers_list', 'GET', '/api/trackers', 'trackers:read'],
  ['Trackers_create', 'POST', '/api/trackers', 'trackers:write'],
  ['Trackers_get', 'GET', '/api/trackers/{id}', 'trackers:read'],
  ['Trackers_update', 'PATCH', '/api/trackers/{id}', 'trackers:write'],
  ['Trackers_rotateKey', 'POST', '/api/trackers/{id}/rotate-key', 'trackers:write'],
  ['Trackers_getHealth', 'GET', '/api/trackers/{id}/health', 'trackers:read'],
  ['IdentityKeys_list', 'GET', '/api/trackers/{id}/identity-keys', 'trackers:read'],
  ['IdentityKeys_create', 'POST', '/api/trackers/{id}/identity-keys', 'trackers:write'],
  ['IdentityKeys_delete', 'DELETE', '/api/trackers/{id}/identity-keys/{kid}', 'trackers:write'],
  ['IdentityConflicts_list', 'GET', '/api/identity-conflicts', 'contacts:read'],
  ['IdentityConflicts_resolve', 'POST', '/api/identity-conflicts/{id}/resolve', 'contacts:write'],
  ['Trackers_delete', 'DELETE', '/api/trackers/{id}', 'trackers:write'],
  ['Forms_list', 'GET', '/api/forms', 'forms:read'],
  ['Forms_create', 'POST', '/api/forms', 'forms:write'],
  ['Forms_get', 'GET', '/api/forms/{id}', 'forms:read'],
  ['Forms_update', 'PATCH', '/api/forms/{id}', 'forms:write'],
  ['Forms_delete', 'DELETE', '/api/forms/{id}', 'forms:write'],
  ['Forms_listVersions', 'GET', '/api/forms/{id}/versions', 'forms:read'],
  ['Forms_embed', 'GET', '/api/forms/{id}/embed', 'forms:read'],
  ['Forms_preview', 'POST', '/api/forms/{id}/preview', 'forms:read'],
  ['Forms_listSubmissions', 'GET', '/api/forms/{id}/submissions', 'forms:read'],
  ['Forms_submit', 'POST', '/api/forms/{id}/submissions', 'forms:write'],
  ['Forms_stats', 'GET', '/api/forms/{id}/stats', 'forms:read'],
  ['Mailbox_list', 'GET', '/api/mailbox', 'emails:send'],
  ['Mailbox_wait', 'GET', '/api/mailbox/wait', 'emails:send'],
  ['Mailbox_get', 'GET', '/api/mailbox/{id}', 'emails:send'],
  ['Mailbox_delete', 'DELETE', '/api/mailbox/{id}', 'emails:send'],
  ['Mailbox_clear', 'DELETE', '/api/mailbox', 'emails:send'],
  ['Workspace_get', 'GET', '/api/workspace', 'any'],
  ['Workspace_update', 'PATCH', '/api/workspace', 'integrations:write'],
  ['Unsubscribes_list', 'GET', '/api/unsubscribes', 'contacts:read'],
  ['Unsubscribes_create', 'POST', '/api/unsubscribes', 'contacts:write'],
  ['Unsubscribes_delete', 'DELETE', '/api/unsubscribes/{id}', 'contacts:write'],
  ['Integrations_list', 'GET', '/api/integrations', 'integrations:read'],
  ['Integrations_create', 'POST', '/api/integrations', 'integrations:write'],
  ['Integrations_get', 'GET', '/api/integrations/{id}', 'integrations:read'],
  ['Integrations_update', 'PATCH', '/api/integrations/{id}', 'integrations:write'],
  ['Integrations_delete', 'DELETE', '/api/integrations/{id}', 'integrations:write'],
  ['Integrations_test', 'POST', '/api/integrations/{id}/test', 'integrations:write'],
  ['Integrations_testConfig', 'POST', '/api/integrations/test', 'integrations:write'],
  ['SendingDomains_list', 'GET', '/api/sending-domains', 'sending_domains:read'],
  ['SendingDomains_create', 'POST', '/api/sending-domains', 'sending_domains:write'],
  ['SendingDomains_listRates', 'GET', '/api/sending-domains/rates', 'sending_domains:read'],
  ['Overview_get', 'GET', '/api/overview', 'broadcasts:read'],
  ['SendingDomains_get', 'GET', '/api/sending-domains/{id}', 'sending_domains:read'],
  ['SendingDomains_update', 'PATCH', '/api/sending-domains/{id}', 'sending_domains:write'],
  ['SendingDomains_delete', 'DELETE', '/api/sending-domains/{id}', 'sending_domains:write'],
  ['SendingDomains_verify', 'POST', '/api/sending-domains/{id}/verify', 'sending_domains:write'],
  ['SendingDomains_listChecks', 'GET', '/api/sending-domains/{id}/checks', 'sending_domains:read'],
  ['SendingDomains_rotateKey', 'POST', '/api/sending-domains/{id}/rotate-key', 'sending_domains:write'],
  ['CustomFields_list', 'GET', '/api/custom-fields', 'custom_fields:read'],
  ['Tags_list', 'GET', '/api/tags', 'contacts:read'],
  ['ContactTags_list', 'GET', '/api/contacts/{contactId}/tags', 'contacts:read'],
  ['ContactTags_apply', 'POST', '/api/contacts/{contactId}/tags', 'contacts:write'],
  ['ContactTags_remove', 'DELETE', '/api/contacts/{contactId}/tags/{name}', 'contacts:write'],
  ['Webhooks_list', 'GET', '/api/webhooks', 'webhooks:read'],
  ['Webhooks_create', 'POST', '/api/webhooks', 'webhooks:write'],
  ['Webhooks_get', 'GET', '/api/webhooks/{id}', 'webhooks:read'],
  ['Webhooks_update', 'PATCH', '/api/webhooks/{id}', 'webhooks:write'],
  ['Webhooks_delete', 'DELETE', '/api/webhooks/{id}', 'webhooks:write'],
  ['Webhooks_test', 'POST', '/api/webhooks/{id}/test', 'webhooks:write'],
  ['Webhooks_recover', 'POST', '/api/webhooks/{id}/recover', 'webhooks:write'],
  ['Webhooks_rotateSecret', 'POST', '/api/webhooks/{id}/rotate-secret', 'webhooks:write'],
  ['Webhooks_listDeliveries', 'GET', '/api/webhooks/{id}/deliveries', 'webhooks:read'],
  ['Webhooks_getDelivery', 'GET', '/api/webhooks/{id}/deliveries/{deliveryId}', 'webhooks:read'],
  ['Webhooks_resendDelivery', 'POST', '/api/webhooks/{id}/deliveries/{deliveryId}/resend', 'webhooks:write'],
  ['Automations_list', 'GET', '/api/automations', 'automations:read'],
  ['Automations_create', 'POST', '/api/automations', 'automations:write'],
  ['Automations_get', 'GET', '/api/automations/{id}', 'automations:read'],
  ['Automations_update', 'PATCH', '/api/automations/{id}', 'automations:write'],
  ['Automations_delete', 'DELETE', '/api/automations/{id}', 'automations:write'],
  ['Automations_activate', 'POST', '/api/automations/{id}/activate', 'automations:activate'],
  ['Automations_deactivate', 'POST', '/api/automations/{id}/deactivate', 'automations:activate'],
  ['Automations_previewPublish', 'POST', '/api/automations/{id}/publish-preview', 'automations:write'],
  ['Automations_publish', 'POST', '/api/automations/{id}/publish', 'automations:activate'],
  ['Automations_pause', 'POST', '/api/automations/{id}/pause', 'automations:activate'],
  ['Automations_resume', 'POST', '/api/automations/{id}/resume', 'automations:activate'],
  ['Automations_stop', 'POST', '/api/automations/{id}/stop', 'automations:activate'],
  ['Automations_enroll', 'POST', '/api/automations/{id}/enroll', 'automations:activate'],
  ['Automations_listVersions', 'GET', '/api/automations/{id}/versions', 'automations:read'],
  ['Automations_getVersion', 'GET', '/api/automations/{id}/versions/{version}', 'automations:read'],
  ['Automations_counts', 'GET', '/api/automations/{id}/counts', 'automations:read'],
  ['Automations_runs', 'GET', '/api/automations/{id}/runs', 'automations:read'],
  ['ContactAutomations_list', 'GET', '/api/contacts/{contactId}/automations', 'automations:read'],
  ['Automations_run', 'GET', '/api/automations/{id}/runs/{runId}', 'automations:read'],
  ['Automations_explain', 'GET', '/api/automations/{id}/explain', 'automations:read'],
  ['Automations_retryRun', 'POST', '/api/automations/{id}/runs/{runId}/retry', 'automations:activate'],
  ['Automations_skipRun', 'POST', '/api/automations/{id}/runs/{runId}/skip', 'automations:activate'],
  ['Automations_exitRun', 'POST', '/api/automations/{id}/runs/{runId}/exit', 'automations:activate'],
  ['Automations_retryParked', 'POST', '/api/automations/{id}/parked/retry', 'automations:activate'],
  ['Automations_skipParked', 'POST', '/api/automations/{id}/parked/skip', 'automations:activate'],
  ['Automations_exitParked', 'POST', '/api/automations/{id}/parked/exit', 'automations:activate'],
  ['Automations_simulate', 'POST', '/api/automations/{id}/simulate', 'automations:read'],
  ['Automations_getSimulation', 'GET', '/api/automations/{id}/simulations/{simulationId}', 'automations:read'],
  ['Automations_test', 'POST', '/api/automations/{id}/test', 'automations:write'],
  ['Suppressions_list', 'GET', '/api/suppressions', 'suppressions:read'],
  ['Suppressions_create', 'POST', '/api/suppressions', 'suppressions:write'],
  ['Suppressions_delete', 'DELETE', '/api/suppressions/{id}', 'suppressions:write'],
]

/** A picture of one transparent pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
/** A body that each operation takes; one that is missing here fails the tests below. */
const BODIES: Readonly<Record<string, object>> = {
  Tokens_create: { name: 'example', scopes: ['tokens:write'] },
  Contacts_create: { subjectId: 'operations-test' },
  Exports_create: { columns: ['email'] },
  Imports_create: { csv: 'email\nada@example.com\n' },
  Imports_start: { tags: ['operations-test'] },
  Contacts_upsert: { subjectId: 'operations-test' },
  Contacts_upsertBatch: { contacts: [{ subjectId: 'operations-test' }] },
  Contacts_update: { firstName: 'Ada' },
  Contacts_merge: { contactId: '900000001' },
  Segments_create: { name: 'Operations test', definition: '' },
  Segments_preview: { definition: null },
  Segments_update: { definition: '' },
  Templates_create: { name: 'Operations test' },
  Templates_preview: { body: '<p>Hello</p>' },
  Templates_update: { subject: 'Hello' },
  Templates_previewStored: {},
  Approvals_create: { act: 'broadcast', broadcastId: '900000000' },
  Broadcasts_create: { name: 'Operations test' },
  Broadcasts_update: { subject: 'Hello' },
  Broadcasts_setAudience: { segmentId: null },
  Broadcasts_testSend: { email: 'you@example.com' },
  Broadcasts_send: {},
  Broadcasts_draftForUnopened: {},
  Broadcasts_schedule: { scheduledAt: '2036-12-01T08:00:00Z' },
  Broadcasts_resolveUncertain: { as: 'sent' },
  Events_create: { events: [{ action: 'page.view', subjectId: 'ada' }] },
  Events_createBatch: { events: [{ action: 'page.view', subjectId: 'ada' }] },
  Emails_send: { destination: 'operations-test@example.com', subject: 'Hello', text: 'Hello.' },
  Emails_sendBatch: { emails: [{ destination: 'operations-test@example.com', subject: 'Hello', text: 'Hello.' }] },
  Emails_resolve: { as: 'sent' },
  Integrations_create: { name: 'Relay', config: { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'a@example.com' } },
  Integrations_update: { maxPerSecond: 10 },
  Integrations_testConfig: { config: { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'a@example.com' } },
  SendingDomains_create: { domain: 'operations-test.example' },
  SendingDomains_update: { dkimSelector: 'postroom' },
  CustomFields_create: { key: 'operations_test', type: 'string' },
  CustomFields_update: { name: 'Operations' },
  CustomFields_retype: { type: 'number', dryRun: true },
  Suppressions_create: { destination: 'operations-test@example.com' },
  Suppressions_import: { csv: 'operations-test@example.com' },
  SendingSettings_update: { trackOpens: true },
  Workspace_update: { name: 'Engines' },
  Assets_create: { name: 'pixel.gif', data: PIXEL },
  SavedBlocks_create: { name: 'Line', body: '<mj-divider />' },
  SavedBlocks_update: { name: 'Thin line' },
  BulkActs_preview: { act: 'tag', tag: 'bulk' },
  BulkActs_create: { act: 'tag', tag: 'bulk' },
  BulkActs_erase: { filter: { email: 'nobody@example.com' }, expectedCount: 1 },
  Topics_create: { name: 'Product news' },
  Topics_update: { description: null },
  ContactTopics_set: { state: 'subscribed' },
  Trackers_create: { name: 'Shop' },
  Trackers_update: { paused: true },
  IdentityConflicts_resolve: { as: 'keep' },
  Forms_create: { name: 'Footer', consentWording: 'We write once a month.' },
  Forms_update: { tags: ['Newsletter'] },
  Forms_preview: { tags: ['Newsletter'] },
  Forms_submit: { fields: { email: 'operations-test@example.com' } },
  Unsubscribes_create: { destination: 'operations-test@example.com' },
  Tags_create: { name: 'operations-test' },
  Tags_update: { name: 'operations-test-renamed' },
  ContactTags_apply: { name: 'operations-test' },
  Automations_create: { name: 'Operations test', triggerEvent: 'page.view', steps: [{ type: 'wait', seconds: 60 }] },
  Automations_update: { name: 'Operations' },
  Automations_previewPublish: { inside: 'move' },
  Automations_publish: { inside: 'move' },
  Automations_runScenarios: {
    scenarios: [{ name: 'Rests', given: [{ event: 'page.view' }], expect: [{ end: 'completed', at: 'PT1M' }] }],
  },
  Automations_simulate: { samplePercent: 1 },
  Automations_test: {},
  Automations_resume: {},
  Automations_backfill: { days: 1, asOf: 'now' },
  Automations_enroll: { contactIds: [] },
  Automations_retryParked: {},
  Automations_skipParked: {},
  Automations_exitParked: {},
  Webhooks_create: { url: 'http://127.0.0.1:8099/hook' },
  Webhooks_update: { enabled: false },
  Webhooks_rotateSecret: {},
  Webhooks_recover: { since: '2026-01-01T00:00:00Z' },
}

/** Those that may come without a body: an empty one, and JSON's `null`, are none. */
const BODY_MAY_BE_ABSENT = [
  'Broadcasts_draftForUnopened',
  ...['Broadcasts_send', 'Webhooks_rotateSecret', 'Imports_start', 'Exports_create', 'Templates_previewStored'],
  ...['previewPublish', 'publish', 'runScenarios', 'test', 'resume', 'simulate'].map((verb) => `Automations_${verb}`),
  ...['Automations_retryParked', 'Automations_skipParked', 'Automations_exitParked'],
]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const UNKNOWN_ID = '900000000'
const BODY_BYTES_MAX = 1_048_576
/** Those that take forms, which test/contract/imports.test.ts sends. */
const TAKE_FORMS = ['Imports_create']
/** Those that take attachments, which test/stories/mailbox.test.ts sends, or pictures. */
const TAKE_MORE = ['Assets_create', 'Emails_send', 'Emails_sendBatch']

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

/** The operation's path with the same id everywhere, or the id of each kind of parent. */
function pathOf(operation: Operation, id: string | ((parent: string) => string)): string {
  const idOf = typeof id === 'string' ? () => id : id
  const path = operation.path.replaceAll(/([a-z-]+)\/\{\w+\}/g, (_, parent: string) => `${parent}/${idOf(parent)}`)
  return operation.query.includes('timeoutSeconds') ? `${path}?timeoutSeconds=0` : path
}

function bodyOf(operation: Operation): Call {
  if (!operation.takesBody) return {}
  const json = BODIES[operation.operationId]
  assert.ok(json, `${operation.operationId} has no example in BODIES`)
  return { json }
}

const call = (operation: Operation, path: string, given: Call = {}) =>
  api.call(operation.method, path, { ...bodyOf(operation), ...given })

function withoutRequestId(answer: Answer): object {
  const { requestId: _, ...problem } = answer.json
  return problem
}

test('every specified operation is there, under its name, path and scope', () => {
  const described = new Set(api.operations.map((one) => [one.operationId, one.method, one.path, one.scope].join(' ')))
  for (const operation of SPECIFIED) assert.ok(described.has(operation.join(' ')), operation.join(' '))
})

test('the description is valid OpenAPI 3.1 and says of each operation what it needs and answers', () => {
  assert.match(api.document.openapi, /^3\.1\./)
  const { valid, errors } = validate(api.document)
  assert.ok(valid, JSON.stringify(errors, null, 2))
  const names = api.operations.map((operation) => operation.operationId)
  assert.equal(new Set(names).size, names.length)
  for (const { operationId, path, scope, answers, takesBody, hasParameters, described } of api.operations) {
    assert.match(operationId, /^[A-Z][A-Za-z]+_[a-z][A-Za-z]+$/)
    assert.doesNotMatch(operationId, /^(Site|Collect)/)
    assert.ok(scope === 'any' || isScope(scope), `${operationId} needs ${scope}`)
    assert.ok(described.summary && described.tags?.length === 1 && described.security, operationId)
    const problems = [401, 403, 503, ...(hasParameters ? [400, 404] : []), ...(takesBody ? [400, 413, 415] : [])]
    for (const status of problems) assert.ok(answers.includes(String(status)), `${operationId} ${status}`)
    assert.equal(answers.filter((status) => status.startsWith('2')).length, 1, operationId)
    const named = (described.parameters ?? []).filter((one) => one.in === 'path').map((one) => `{${one.name}}`)
    assert.deepEqual(named, path.match(/\{\w+\}/g) ?? [], operationId)
    for (const one of described.parameters ?? []) assert.equal(one.required === true, one.in === 'path', operationId)
  }
  const said = JSON.stringify(api.document)
  assert.ok(!said.includes('Default Response') && !said.includes('"description":"Problem"'), 'each answer is named')
})

test('without a token each operation answers 401 and says how to authenticate', async () => {
  for (const operation of api.operations) {
    const url = instance.baseUrl + pathOf(operation, '1')
    const none = await send(operation.method, url, bodyOf(operation))
    assert.equal(none.status, 401, url)
    assert.equal(none.json.code, 'no-credentials')
    assert.equal(none.headers['www-authenticate'], 'Bearer realm="postroom"')
    for (const token of [
      'nonsense',
      'prt_000000000000_0000000000000000000000000000000000000000000000',
      'x'.repeat(64),
    ]) {
      const wrong = await call(operation, pathOf(operation, '1'), { token })
      assert.equal(wrong.status, 401, url)
      assert.equal(wrong.json.code, 'invalid-token')
      assert.equal(wrong.headers['www-authenticate'], 'Bearer realm="postroom", error="invalid_token"')
    }
  }
})

test('a token without the scope is answered 403 naming it, one with only that scope gets further', async () => {
  const scopes = [...new Set(api.operations.map((operation) => operation.scope))].filter((scope) => scope !== 'any')
  const [other, another] = [await instance.makeToken(['mcp:send']), await instance.makeToken(['tokens:read'])]
  const only = new Map<string, string>()
  for (const scope of scopes) only.set(scope, await instance.makeToken([scope as 'mcp:send']))
  for (const operation of api.operations) {
    const path = pathOf(operation, UNKNOWN_ID)
    const without = await call(operation, path, { token: operation.scope === 'mcp:send' ? another : other })
    if (operation.scope === 'any') {
      assert.equal(without.status, 200, path)
      continue
    }
    assert.equal(without.status, 403, path)
    assert.equal(without.json.code, 'missing-scope')
    assert.match(without.json.detail, new RegExp(`\\b${operation.scope}\\b`))
    assert.match(
      String(without.headers['www-authenticate']),
      new RegExp(`error="insufficient_scope", scope="${operation.scope}"`),
    )
    const { status } = await call(operation, path, { token: only.get(operation.scope) as string })
    assert.ok(status !== 401 && status !== 403, `${operation.operationId} ${status}`)
  }
})

test('an unknown id is a 404, one beyond 64 bits as well, and one that is no number a 400', async () => {
  for (const operation of api.operations.filter((one) => one.hasParameters)) {
    for (const id of [UNKNOWN_ID, '9223372036854775807', '9223372036854775808', '9'.repeat(400)]) {
      const { status, json } = await call(operation, pathOf(operation, id))
      assert.equal(status, 404, `${operation.operationId} ${id}`)
      assert.equal(json.code, 'not-found')
    }
    for (const id of ['abc', '-1', '1.5', '0x1', '%20']) {
      assert.equal((await call(operation, pathOf(operation, id))).status, 400, `${operation.operationId} ${id}`)
    }
  }
})

test('what belongs to another workspace answers exactly as what does not exist', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('neighbour'))
  const as = { token }
  const contact = await api.call('POST', '/api/contacts', { ...as, json: { subjectId: 'theirs' } })
  const webhook = await api.call('POST', '/api/webhooks', {
    ...as,
    json: { url: 'http://127.0.0.1:8099/x', enabled: false },
  })
  const domain = await api.call('POST', '/api/sending-domains', { ...as, json: { domain: 'theirs.example' } })
  const delivery = await api.call('POST', `/api/webhooks/${webhook.json.id}/test`, as)
  const tag = await api.call('POST', '/api/tags', { ...as, json: { name: 'theirs' } })
  const field = await api.call('POST', '/api/custom-fields', { ...as, json: { key: 'theirs', type: 'string' } })
  const made = await api.call('POST', '/api/auth/tokens', { ...as, json: { name: 'theirs', scopes: ['audit:read'] } })
  const upload = await api.call('POST', '/api/contacts/imports', { ...as, json: BODIES.Imports_create })
  const segment = await api.call('POST', '/api/segments', { ...as, json: { name: 'theirs', definition: '' } })
  const file = await api.call('POST', '/api/contacts/exports', { ...as, json: BODIES.Exports_create })
  const own = await api.call('POST', '/api/webhooks', { json: { url: 'http://127.0.0.1:8099/x', enabled: false } })
  // Not due while the test looks: what is being sent changes by itself.
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const email = await api.call('POST', '/api/emails', { ...as, json: { ...BODIES.Emails_send, scheduledAt } })
  const integration = await api.call('POST', '/api/integrations', { ...as, json: BODIES.Integrations_create })
  const suppression = await api.call('POST', '/api/suppressions', {
    ...as,
    json: { destination: 'theirs@example.com' },
  })
  const unsubscribe = await api.call('POST', '/api/unsubscribes', { ...as, json: BODIES.Unsubscribes_create! })
  const broadcast = await api.call('POST', '/api/broadcasts', { ...as, json: BODIES.Broadcasts_create })
  const template = await api.call('POST', '/api/templates', { ...as, json: BODIES.Templates_create! })
  // About nobody: it runs beside the reads that are compared.
  const aboutNobody = { ...BODIES.BulkActs_create!, filter: { email: 'nobody@example.com' } }
  const bulk = await api.call('POST', '/api/contacts/bulk-acts', { ...as, json: aboutNobody })
  const topic = await api.call('POST', '/api/topics', { ...as, json: { name: 'theirs' } })
  const tracker = await api.call('POST', '/api/trackers', { ...as, json: { name: 'theirs' } })
  const identityKey = await api.call('POST', `/api/trackers/${tracker.json.id}/identity-keys`, as)
  const asset = await api.call('POST', '/api/assets', { ...as, json: BODIES.Assets_create! })
  const block = await api.call('POST', '/api/saved-blocks', { ...as, json: BODIES.SavedBlocks_create! })
  const form = await api.call('POST', '/api/forms', { ...as, json: { ...BODIES.Forms_create!, name: 'theirs' } })
  const automation = await api.call('POST', '/api/automations', { ...as, json: BODIES.Automations_create! })
  const theirs: Record<string, string> = {
    templates: template.json.id,
    versions: '1',
    revisions: '1',
    broadcasts: broadcast.json.id,
    suppressions: suppression.json.id,
    unsubscribes: unsubscribe.json.id,
    integrations: integration.json.id,
    contacts: contact.json.id,
    recipients: contact.json.id,
    tags: tag.json.id,
    segments: segment.json.id,
    'custom-fields': field.json.id,
    webhooks: webhook.json.id,
    'sending-domains': domain.json.id,
    deliveries: delivery.json.id,
    tokens: made.json.tokenInfo.id,
    imports: upload.json.id,
    exports: file.json.id,
    emails: email.json.id,
    messages: email.json.id,
    'bulk-acts': bulk.json.id,
    topics: topic.json.id,
    trackers: tracker.json.id,
    'identity-keys': identityKey.json.kid,
    // Nobody's contacts contradict anything here.
    'identity-conflicts': UNKNOWN_ID,
    forms: form.json.id,
    assets: asset.json.id,
    'saved-blocks': block.json.id,
    automations: automation.json.id,
    // No mail comes to the mailbox here, no agent asks for anything, and nobody comes into the automation: their paths answer as those of any other.
    mailbox: UNKNOWN_ID,
    approvals: UNKNOWN_ID,
    runs: UNKNOWN_ID,
    simulations: UNKNOWN_ID,
  }
  const reads = [
    `/api/contacts/${theirs.contacts}`,
    `/api/contacts/${theirs.contacts}/events`,
    `/api/contacts/imports/${theirs.imports}`,
    `/api/suppressions/${theirs.suppressions}`,
    `/api/trackers/${theirs.trackers}`,
    `/api/broadcasts/${theirs.broadcasts}`,
    `/api/templates/${theirs.templates}`,
    `/api/templates/${theirs.templates}/versions/${theirs.versions}`,
    `/api/tags/${theirs.tags}`,
    `/api/segments/${theirs.segments}`,
    `/api/custom-fields/${theirs['custom-fields']}`,
    `/api/webhooks/${theirs.webhooks}`,
    `/api/integrations/${theirs.integrations}`,
    `/api/emails/${theirs.emails}`,
    `/api/sending-domains/${theirs['sending-domains']}`,
    `/api/sending-domains/${theirs['sending-domains']}/checks`,
    `/api/webhooks/${theirs.webhooks}/deliveries/${theirs.deliveries}`,
    '/api/auth/tokens?pageSize=1000',
  ]
  const events = `/api/contacts/${theirs.contacts}/events`
  await eventually('their events are told', async () => (await api.call('GET', events, as)).json.items.length > 0)
  const before = await Promise.all(reads.map((path) => api.call('GET', path, as)))
  for (const operation of api.operations.filter((one) => one.hasParameters)) {
    const foreign = pathOf(operation, (parent) => theirs[parent] ?? assert.fail(`no ${parent} of another workspace`))
    const mixed = pathOf(operation, (parent) => (parent === 'webhooks' ? own.json.id : theirs[parent]))
    const unknown = withoutRequestId(await call(operation, pathOf(operation, UNKNOWN_ID)))
    for (const path of operation.path.includes('{deliveryId}') ? [foreign, mixed] : [foreign]) {
      const answer = await call(operation, path)
      assert.equal(answer.status, 404, path)
      assert.deepEqual(withoutRequestId(answer), unknown)
    }
  }
  const after = await Promise.all(reads.map((path) => api.call('GET', path, as)))
  const withoutUse = (text: string) => text.replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '')
  assert.deepEqual(
    after.map(({ text }) => withoutUse(text)),
    before.map(({ text }) => withoutUse(text)),
  )
  for (const list of api.operations.filter((one) => one.method === 'GET' && !one.hasParameters)) {
    const { text } = await call(list, list.path)
    assert.doesNotMatch(text, /theirs/, list.operationId)
  }
})

test('a method that a path does not offer is a 405 that lists those it does', async () => {
  const reaches = (template: string, url: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url)
  for (const path of new Set(api.operations.map((operation) => operation.path))) {
    // `/contacts/batch` is a place for an id as well: what contacts offer there is answered as to a wrong id.
    const offered = [...new Set(api.operations.filter((one) => reaches(one.path, path)).map((one) => one.method))]
    const allow = [...offered, ...(offered.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
    for (const method of METHODS.filter((one) => !offered.includes(one))) {
      const url = instance.baseUrl + path.replaceAll(/\{\w+\}/g, '1')
      const answer = await send(method, url, { token: instance.token })
      assert.equal(answer.status, 405, `${method} ${path}`)
      assert.equal(answer.headers.allow, allow, `${method} ${path}`)
      assert.equal(answer.json.code, 'method-not-allowed')
    }
  }
})

test('a body with an unknown field is a 400 that names it', async () => {
  for (const operation of api.operations.filter((one) => one.takesBody)) {
    const json = { ...(bodyOf(operation).json as object), verified: true }
    const answer = await call(operation, pathOf(operation, UNKNOWN_ID), { json })
    assert.equal(answer.status, 400, operation.operationId)
    assert.deepEqual(answer.json.errors, [{ pointer: '/verified', detail: 'is not a known field' }])
  }
})

test('an operation that takes no body refuses a field by its name as well, and no empty object', async () => {
  const withoutBody = api.operations.filter((one) => !one.takesBody && one.method !== 'GET')
  assert.ok(withoutBody.length > 40)
  for (const operation of withoutBody) {
    const path = pathOf(operation, UNKNOWN_ID)
    const answer = await call(operation, path, { json: { verified: true } })
    assert.equal(answer.status, 400, operation.operationId)
    assert.deepEqual(answer.json.errors, [{ pointer: '/verified', detail: 'is not a known field' }])
    assert.equal((await call(operation, path, { json: [true] })).status, 400, operation.operationId)
    if (!operation.hasParameters) continue
    for (const json of [{}, null]) {
      assert.equal((await call(operation, path, { json })).status, 404, operation.operationId)
    }
  }
})

test('a body that is no JSON object is a 400, one of another type a 415, one too long a 413', async () => {
  for (const operation of api.operations.filter((one) => one.takesBody)) {
    const path = pathOf(operation, UNKNOWN_ID)
    const sent = (body: string, type = 'application/json') =>
      api.call(operation.method, path, { body, headers: { 'content-type': type } })
    const none = BODY_MAY_BE_ABSENT.includes(operation.operationId) ? [] : ['', 'null']
    for (const body of ['{', ...none, '{"a":1,}', "{'a':1}", '[]', '"text"', '{"a":1}{', '\u0000']) {
      assert.equal((await sent(body)).status, 400, `${operation.operationId} ${JSON.stringify(body)}`)
    }
    const good = JSON.stringify(bodyOf(operation).json)
    const form = 'multipart/form-data; boundary=x'
    const takesForms = TAKE_FORMS.includes(operation.operationId)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', form, 'nonsense']) {
      // A body that is no form is wrong in itself.
      const expected = takesForms && type === form ? 400 : 415
      assert.equal((await sent(good, type)).status, expected, `${operation.operationId} ${type}`)
    }
    if (TAKE_MORE.includes(operation.operationId)) continue
    const long = good.replace(/}$/, `${' '.repeat(BODY_BYTES_MAX)}}`)
    const tooLong = await sent(long)
    assert.equal(tooLong.status, 413, operation.operationId)
    assert.equal(tooLong.json.code, 'body-too-large')
  }
})

/** Ids that the lists below a resource of this workspace have. */
async function parentsOfLists(): Promise<(parent: string) => string> {
  const contact = await api.call('POST', '/api/contacts', { json: { subjectId: `parent-${Math.random()}` } })
  const endpoint = await api.call('POST', '/api/webhooks', { json: BODIES.Webhooks_create })
  const upload = await api.call('POST', '/api/contacts/imports', { json: BODIES.Imports_create })
  const broadcast = await api.call('POST', '/api/broadcasts', { json: BODIES.Broadcasts_create })
  const template = await api.call('POST', '/api/templates', { json: BODIES.Templates_create! })
  const automation = await api.call('POST', '/api/automations', { json: BODIES.Automations_create! })
  const form = await api.call('POST', '/api/forms', { json: BODIES.Forms_create! })
  const ids: Record<string, string> = {
    automations: automation.json.id,
    templates: template.json.id,
    contacts: contact.json.id,
    recipients: contact.json.id,
    webhooks: endpoint.json.id,
    imports: upload.json.id,
    broadcasts: broadcast.json.id,
    forms: form.json.id,
  }
  return (parent) => ids[parent] ?? assert.fail(`no ${parent} to list what is below it`)
}

test('a page or page size that is none is a 400 naming it, and a page past the end is empty', async () => {
  const lists = api.operations.filter((one) => one.query.includes('page'))
  assert.ok(lists.length >= 3)
  const parentId = await parentsOfLists()
  for (const operation of lists) {
    const path = pathOf(operation, parentId)
    const wrong = ['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'page=2147483648', 'pageSize=0', 'pageSize=1001']
    for (const query of [...wrong, 'pageSize=x', 'page=1&page=2', 'nonsense=1']) {
      const answer = await call(operation, `${path}?${query}`)
      assert.equal(answer.status, 400, `${path}?${query}`)
      assert.equal(answer.json.errors[0].pointer, `/${query.split('=')[0]}`)
    }
    const { json: first } = await call(operation, path)
    assert.deepEqual([first.page, first.pageSize], [1, 25])
    const { json: past } = await call(operation, `${path}?page=2147483647&pageSize=1000`)
    assert.deepEqual(Object.keys(past), ['items', 'page', 'pageSize', 'totalItems', 'totalPages'])
    assert.deepEqual([past.items, past.totalItems, past.page], [[], first.totalItems, 2_147_483_647])
    assert.equal(past.totalPages, Math.ceil(first.totalItems / 1_000))
  }
})

test('a limit or cursor that is none is a 400 naming it', async () => {
  const lists = api.operations.filter((one) => one.query.includes('cursor') && one.query.includes('limit'))
  assert.ok(lists.length >= 3)
  const parentId = await parentsOfLists()
  for (const operation of lists) {
    const path = pathOf(operation, parentId)
    const beyond = [
      ['2026-01-01T00:00:00Z', '9'.repeat(19)],
      ['9'.repeat(19), '1'],
    ].map((key) => `cursor=${Buffer.from(JSON.stringify(key)).toString('base64url')}`)
    const wrong = ['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'cursor=W10', 'cursor=']
    for (const query of [...wrong, ...beyond]) {
      const answer = await call(operation, `${path}?${query}`)
      assert.equal(answer.status, 400, `${path}?${query}`)
      assert.equal(answer.json.errors[0].pointer, `/${query.split('=')[0]}`)
    }
    const { json } = await call(operation, path)
    assert.ok(Array.isArray(json.items))
  }
})

test('a cursor leads on in its own list, and to the letter; in every other one it is none', async () => {
  const lists = api.operations.filter((one) => one.query.includes('cursor') && one.query.includes('limit'))
  const parentId = await parentsOfLists()
  const cursor = async (path: string) => (await api.call('GET', `${path}?limit=1`)).json.nextCursor as string
  const endpoint = pathOf(lists.find((one) => one.operationId === 'Webhooks_listDeliveries')!, parentId)
  for (const _ of [1, 2]) await api.call('POST', endpoint.replace('/deliveries', '/test'))
  const given = new Map([
    ['/api/audit-entries', await cursor('/api/audit-entries')],
    [endpoint, await cursor(endpoint)],
  ])
  for (const [own, text] of given) {
    assert.equal((await api.call('GET', `${own}?cursor=${text}`)).status, 200)
    for (const other of [`${text}!`, `${text}%20`, `!${text}`, text.slice(0, -1)]) {
      assert.equal((await api.call('GET', `${own}?cursor=${other}`)).json.code, 'bad-cursor', `${own} ${other}`)
    }
    for (const operation of lists) {
      const path = pathOf(operation, parentId)
      if (path === own) continue
      const answer = await call(operation, `${path}?cursor=${text}`)
      assert.deepEqual([answer.status, answer.json.code], [400, 'bad-cursor'], `${path} with the cursor of ${own}`)
    }
  }
})

test('each path answers without /api as well, and both count under the same route', async () => {
  for (const operation of api.operations.filter((one) => one.method === 'GET')) {
    const path = pathOf(operation, UNKNOWN_ID)
    const [full, short] = [await call(operation, path), await call(operation, path.replace(/^\/api/, ''))]
    assert.equal(short.status, full.status, path)
    assert.deepEqual(Object.keys(short.json ?? {}), Object.keys(full.json ?? {}), path)
    const { status, text } = await send('HEAD', instance.baseUrl + path, { token: instance.token })
    assert.deepEqual([status, text], [full.status, ''], path)
  }
  const described = new Map(api.operations.map((one) => [one.operationId, one.path]))
  const { series } = parseExposition(await instance.metrics())
  const counted = series.filter(({ name }) => name === 'ogen_server_request_count_total')
  for (const { labels } of counted) {
    assert.equal(labels.http_route, described.get(labels.operation_id ?? ''), labels.operation_id)
  }
  const seen = new Set(counted.map(({ labels }) => labels.operation_id))
  for (const { operationId } of api.operations) assert.ok(seen.has(operationId), operationId)
})

test('what is neither a path of ours nor an alias is a 404', async () => {
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/contacts/',
    '/contacts/',
    '/nothing',
    '/api/contacts/1/nothing',
    '/metrics',
    '/api/metrics',
  ]) {
    const answer = await send('GET', instance.baseUrl + path, { token: instance.token })
    assert.equal(answer.status, 404, path)
    assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  }
})
