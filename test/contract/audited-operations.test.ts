import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TARGET_TYPES } from '../../dashboard/features/audit/target-types.ts'
import { eventually } from '../support/eventually.ts'
import type { Call } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi, type Operation } from './described-api.ts'

/** Operations that change nothing anybody could want to know the author of, and why. */
const UNRECORDED: Readonly<Record<string, string>> = {
  Events_create: 'a recorded event is an entry of its own log, with its own id, and comes in by the thousand',
  Events_createBatch: 'as Events_create',
  Automations_previewPublish: 'reads: it is a POST for the choices that publishing takes',
  Automations_runScenarios: 'reads: it plays them, and writes nothing',
  BulkActs_preview: 'it counts, and changes nothing',
  Segments_preview: 'reads: it is a POST for the length of its definition',
  Forms_preview: 'reads: it is a POST for what is not saved',
  Templates_preview: 'reads: it is a POST for the length of the template',
  Templates_previewStored: 'as Templates_preview, with variables',
}
/** Reads that take much of the workspace's data out at once. */
const RECORDED_READS = ['AuditEntries_export', 'Contacts_exportData', 'Suppressions_export']

let instance: TestedInstance
let api: DescribedApi
let made = 0

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

/** Makes what an operation works on, and answers its id. */
async function make(path: string, json: object): Promise<string> {
  const answer = await api.call('POST', `/api/${path}`, { json, headers: { 'x-request-id': 'made-for-the-test' } })
  assert.ok(answer.status < 300, answer.text)
  return answer.json.id ?? answer.json.tokenInfo.id
}

function unique(prefix: string): string {
  made += 1
  return `${prefix}-${made}`
}
const contact = () => make('contacts', { subjectId: unique('audited') })
const tag = () => make('tags', { name: unique('Tag') })
const field = () => make('custom-fields', { key: unique('field').replace('-', '_'), type: 'string' })
const segment = () => make('segments', { name: unique('Segment'), definition: '' })
const domain = () => make('sending-domains', { domain: `${unique('audited')}.example` })
const SMTP = { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'a@example.com' }
const integration = () => make('integrations', { name: unique('Relay'), config: SMTP })
/** A mail of the mailbox, which has no server here. */
async function caughtMail(): Promise<string> {
  await instance.sql(`insert into mailboxes (workspace_id, host, port, password_hash)
    values (1, '127.0.0.1', 1, sha256('')) on conflict do nothing`)
  const [row] = await instance.sql<{ id: string }>(`insert into caught_mails
      (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
    values (1, '', '{ada@example.com}', 'Hello', '', '', 'x', 1) returning id`)
  return row!.id
}
/** A picture that there is no other of: it goes on behind its end. */
const picture = () => ({
  name: 'pixel.gif',
  data: `R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7${Buffer.from(unique('picture')).toString('base64')}`,
})
const BULK = `insert into bulk_acts (workspace_id, act, tag, filter, started_by, contacts_total, contacts_changed, state)
  values (1, 'tag', 'audited', '{}', '{}', 1, 1, $1) returning id`
const bulkAct = async (state: string) => (await instance.sql<{ id: string }>(BULK, [state]))[0]!.id
const topic = () => make('topics', { name: unique('Topic') })
const tracker = () => make('trackers', { name: unique('Tracker') })
const form = () => make('forms', { name: unique('Form'), consentWording: 'We write once a month.' })
const savedBlock = () => make('saved-blocks', { name: unique('Block'), body: '<mj-divider />' })
const MAIL = { destination: 'ada@example.com', subject: 'Hello', text: 'Hello.' }
const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString()
const template = () => make('templates', { name: unique('Template') })
const automation = () => make('automations', { name: unique('Automation'), triggerEvent: 'bought', steps: [] })
const automationAfter = async (...acts: string[]) => {
  const id = await automation()
  for (const act of acts) await api.call('POST', `/api/automations/${id}/${act}`, {})
  return id
}
async function parkedRun(): Promise<string[]> {
  const id = await automationAfter('activate', 'deactivate')
  const [row] = await instance.sql<{ id: string }>(
    `insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at,
       at_position)
     values (1, $1, 1, $2, '', now(), 0, 'a', 1, 'parked', now(), 0) returning id`,
    [id, await contact()],
  )
  return [id, row!.id]
}
const webhook = () => make('webhooks', { url: 'http://127.0.0.1:8099/hook', enabled: false })
const suppression = () => make('suppressions', { destination: `${unique('audited')}@example.com` })
const upload = () => make('contacts/imports', { csv: 'email\nada@example.com\n' })

const CONTENT = {
  subject: 'Hello {{ first_name }}',
  body: '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
  text: 'Hello. {{ unsubscribe_url }}',
}
/** A draft that can be sent: somebody to send it to, a server that nobody runs, a domain taken for verified. */
async function broadcast(): Promise<string> {
  const name = unique('broadcast')
  await make('contacts', { email: `${name}@example.com` })
  await make('sending-domains', { domain: `${name}.example` })
  await instance.sql('update sending_domain_keys set verified_at = now()')
  const integrationId = await make('integrations', { name, config: { ...SMTP, from: `news@${name}.example` } })
  return make('broadcasts', { name, ...CONTENT, integrationId })
}
async function broadcastAfter(...acts: string[]): Promise<string> {
  const id = await broadcast()
  for (const act of acts) await api.call('POST', `/api/broadcasts/${id}/${act}`, {})
  return id
}
/** A paused broadcast with a message that ended in `state`. */
async function broadcastWith(state: string, reason: string): Promise<string> {
  const id = await broadcastAfter('send', 'pause')
  await eventually('its message is in the ledger, and in no turn that would end it another way', async () => {
    const resting = `select from messages m left join message_queue q on q.message_id = m.id
      where m.source_kind = 'broadcast' and m.source_id = $1 and q.turn is null`
    return (await instance.sql(resting, [id])).length > 0
  })
  await instance.sql('delete from message_queue')
  const ended = `update messages set state = $2, reason = $3 where source_kind = 'broadcast' and source_id = $1`
  await instance.sql(ended, [id, state, reason])
  return id
}
const LATER = { scheduledAt: IN_A_DAY }

/** Input that makes each operation succeed: the ids in its path, in order, and its body. */
const RECIPES: Readonly<Record<string, () => Promise<{ ids?: string[]; json?: object }>>> = {
  Tokens_create: async () => ({ json: { name: 'audited', scopes: ['audit:read'] } }),
  Tokens_revoke: async () => ({ ids: [await make('auth/tokens', { name: 'audited', scopes: ['audit:read'] })] }),
  Contacts_create: async () => ({ json: { subjectId: unique('audited') } }),
  Contacts_upsert: async () => ({ json: { subjectId: unique('audited') } }),
  Contacts_update: async () => ({ ids: [await contact()], json: { firstName: 'Ada' } }),
  Contacts_erase: async () => ({ ids: [await contact()] }),
  Contacts_upsertBatch: async () => ({ json: { contacts: [{ subjectId: unique('audited') }] } }),
  Contacts_merge: async () => ({ ids: [await contact()], json: { contactId: await contact() } }),
  Contacts_exportData: async () => ({ ids: [await contact()] }),
  CustomFields_create: async () => ({ json: { key: unique('field').replace('-', '_'), type: 'number' } }),
  CustomFields_update: async () => ({ ids: [await field()], json: { name: 'Renamed' } }),
  CustomFields_delete: async () => ({ ids: [await field()] }),
  CustomFields_retype: async () => ({ ids: [await field()], json: { type: 'number' } }),
  Tags_create: async () => ({ json: { name: unique('Tag') } }),
  Tags_update: async () => ({ ids: [await tag()], json: { name: unique('Renamed') } }),
  Tags_delete: async () => ({ ids: [await tag()] }),
  ContactTags_apply: async () => ({ ids: [await contact()], json: { name: 'Applied' } }),
  async ContactTags_remove() {
    const id = await contact()
    await make(`contacts/${id}/tags`, { name: 'Removed' })
    return { ids: [id, 'Removed'] }
  },
  Imports_create: async () => ({ json: { csv: 'email\nada@example.com\n' } }),
  Imports_start: async () => ({ ids: [await upload()], json: {} }),
  Imports_cancel: async () => ({ ids: [await upload()] }),
  Imports_delete: async () => ({ ids: [await upload()] }),
  Exports_create: async () => ({ json: {} }),
  SendingDomains_create: async () => ({ json: { domain: `${unique('audited')}.example` } }),
  SendingDomains_update: async () => ({ ids: [await domain()], json: { dkimSelector: 'other' } }),
  SendingDomains_delete: async () => ({ ids: [await domain()] }),
  SendingDomains_verify: async () => ({ ids: [await domain()] }),
  SendingDomains_rotateKey: async () => ({ ids: [await domain()] }),
  Segments_create: async () => ({ json: { name: unique('Segment'), definition: '' } }),
  Segments_update: async () => ({ ids: [await segment()], json: { name: unique('Renamed') } }),
  Segments_delete: async () => ({ ids: [await segment()] }),
  Templates_create: async () => ({ json: { name: unique('Template'), subject: 'Hello', body: '<p>Hello</p>' } }),
  Templates_update: async () => ({ ids: [await template()], json: { subject: 'Changed' } }),
  Templates_delete: async () => ({ ids: [await template()] }),
  async Templates_restoreVersion() {
    const id = await template()
    await api.call('PATCH', `/api/templates/${id}`, { json: { subject: 'Second' } })
    return { ids: [id, '1'] }
  },
  Contacts_requestConfirmation: async () => ({
    ids: [await make('contacts', { email: `${unique('asked')}@example.com` })],
  }),
  SendingSettings_update: async () => ({ json: { trackOpens: false } }),
  Workspace_update: async () => ({ json: { language: 'de' } }),
  Assets_create: async () => ({ json: picture() }),
  Assets_delete: async () => ({ ids: [await make('assets', picture())] }),
  SavedBlocks_create: async () => ({ json: { name: unique('Block'), body: '<mj-divider />' } }),
  SavedBlocks_update: async () => ({ ids: [await savedBlock()], json: { name: unique('Renamed') } }),
  SavedBlocks_delete: async () => ({ ids: [await savedBlock()] }),
  BulkActs_create: async () => ({ json: { act: 'tag', tag: unique('Tag') } }),
  BulkActs_erase: async () => ({ json: { contactIds: [await contact()], expectedCount: 1 } }),
  BulkActs_cancel: async () => ({ ids: [await bulkAct('running')] }),
  BulkActs_undo: async () => ({ ids: [await bulkAct('done')] }),
  Topics_create: async () => ({ json: { name: unique('Topic') } }),
  Topics_update: async () => ({ ids: [await topic()], json: { name: unique('Renamed') } }),
  Topics_delete: async () => ({ ids: [await topic()] }),
  Trackers_create: async () => ({ json: { name: unique('Tracker') } }),
  Trackers_update: async () => ({ ids: [await tracker()], json: { paused: true } }),
  Trackers_rotateKey: async () => ({ ids: [await tracker()] }),
  Trackers_delete: async () => ({ ids: [await tracker()] }),
  IdentityKeys_create: async () => ({ ids: [await tracker()] }),
  async IdentityKeys_delete() {
    const id = await tracker()
    const { json } = await api.call('POST', `/api/trackers/${id}/identity-keys`, {})
    return { ids: [id, json.kid] }
  },
  async IdentityConflicts_resolve() {
    const [row] = await instance.sql<{ id: string }>(
      `insert into identity_conflicts (workspace_id, kind, alias, contact_id, other_contact_id)
       values (1, 'alias-taken', 'email', $1, $2) returning id`,
      [await contact(), await contact()],
    )
    return { ids: [row!.id], json: { as: 'keep' } }
  },
  ContactTopics_set: async () => ({ ids: [await contact(), await topic()], json: { state: 'subscribed' } }),
  Forms_create: async () => ({ json: { name: unique('Form'), consentWording: 'We write once a month.' } }),
  Forms_update: async () => ({ ids: [await form()], json: { locale: 'de' } }),
  Forms_delete: async () => ({ ids: [await form()] }),
  Forms_submit: async () => ({ ids: [await form()], json: { fields: { email: `${unique('new')}@example.com` } } }),
  Mailbox_delete: async () => ({ ids: [await caughtMail()] }),
  Mailbox_clear: async () => {
    await caughtMail()
    return {}
  },
  Unsubscribes_create: async () => ({ json: { destination: `${unique('out')}@example.com` } }),
  Unsubscribes_delete: async () => ({
    ids: [await make('unsubscribes', { destination: `${unique('out')}@example.com` })],
  }),
  Integrations_create: async () => ({ json: { name: unique('Relay'), config: SMTP } }),
  Integrations_update: async () => ({ ids: [await integration()], json: { maxPerSecond: 7 } }),
  Integrations_delete: async () => ({ ids: [await integration()] }),
  Integrations_test: async () => ({ ids: [await integration()] }),
  Integrations_testConfig: async () => ({ json: { config: SMTP } }),
  Webhooks_create: async () => ({ json: { url: 'http://127.0.0.1:8099/hook', enabled: false } }),
  Webhooks_update: async () => ({ ids: [await webhook()], json: { eventTypes: ['contact.created'] } }),
  Webhooks_delete: async () => ({ ids: [await webhook()] }),
  Webhooks_test: async () => ({ ids: [await webhook()] }),
  Webhooks_recover: async () => ({ ids: [await webhook()], json: { since: '2026-01-01T00:00:00Z' } }),
  Webhooks_rotateSecret: async () => ({ ids: [await webhook()] }),
  async Webhooks_resendDelivery() {
    const id = await webhook()
    return { ids: [id, await make(`webhooks/${id}/test`, {})] }
  },
  Emails_send: async () => ({ json: MAIL }),
  Emails_sendBatch: async () => ({ json: { emails: [MAIL] } }),
  Emails_cancel: async () => ({ ids: [await make('emails', { ...MAIL, scheduledAt: IN_A_DAY })] }),
  async Emails_resolve() {
    const id = await make('emails', { ...MAIL, scheduledAt: IN_A_DAY })
    await instance.sql('delete from message_queue where message_id = $1', [id])
    await instance.sql(`update messages set state = 'uncertain', reason = 'process_lost' where id = $1`, [id])
    return { ids: [id], json: { as: 'sent' } }
  },
  Approvals_create: async () => ({ json: { act: 'broadcast', broadcastId: await broadcast() } }),
  Broadcasts_create: async () => ({ json: { name: 'News' } }),
  Broadcasts_update: async () => ({ ids: [await broadcast()], json: { name: 'Other news' } }),
  Broadcasts_setAudience: async () => ({ ids: [await broadcast()], json: { segmentId: await segment() } }),
  Broadcasts_delete: async () => ({ ids: [await broadcast()] }),
  async Broadcasts_testSend() {
    const id = await broadcast()
    await instance.sql('update integrations set is_default = false')
    await instance.sql('update integrations set is_default = true where id = (select max(id) from integrations)')
    return { ids: [id], json: { email: 'you@example.com' } }
  },
  Broadcasts_send: async () => ({ ids: [await broadcast()] }),
  async Broadcasts_draftForUnopened() {
    const id = await broadcastWith('failed', 'expired')
    await instance.sql(`update broadcasts set status = 'sent', ended_at = now() where id = $1`, [id])
    return { ids: [id] }
  },
  Broadcasts_schedule: async () => ({ ids: [await broadcast()], json: LATER }),
  async Broadcasts_unschedule() {
    const id = await broadcast()
    await make(`broadcasts/${id}/schedule`, LATER)
    return { ids: [id] }
  },
  Broadcasts_pause: async () => ({ ids: [await broadcastAfter('send')] }),
  Broadcasts_resume: async () => ({ ids: [await broadcastAfter('send', 'pause')] }),
  Broadcasts_cancel: async () => ({ ids: [await broadcastAfter('send')] }),
  Broadcasts_retryFailed: async () => ({ ids: [await broadcastWith('failed', 'expired')] }),
  Broadcasts_resolveUncertain: async () => ({
    ids: [await broadcastWith('uncertain', 'process_lost')],
    json: { as: 'sent' },
  }),
  Automations_create: async () => ({ json: { name: 'Carts', triggerEvent: 'bought', steps: [] } }),
  Automations_update: async () => ({ ids: [await automation()], json: { name: 'Other carts' } }),
  async Automations_restoreRevision() {
    const id = await automation()
    // Written by somebody else, and so a revision of its own.
    await instance.sql(`update automation_revisions set actor_id = '0' where automation_id = $1`, [id])
    await api.call('PATCH', `/api/automations/${id}`, { json: { steps: [{ type: 'apply_tag', tag: 'warm' }] } })
    return { ids: [id, '1'] }
  },
  Automations_delete: async () => ({ ids: [await automation()] }),
  Automations_activate: async () => ({ ids: [await automation()] }),
  Automations_deactivate: async () => ({ ids: [await automationAfter('activate')] }),
  Automations_simulate: async () => ({ ids: [await automation()], json: {} }),
  Automations_cancelSimulation: async () => {
    const id = await automation()
    const insert = `insert into automation_simulations (workspace_id, automation_id, draft, from_at, until_at, share)
      values ($1, $2, '{}', now() - interval '1 day', now(), 10000) returning id`
    const [row] = await instance.sql<{ id: string }>(insert, [1, id])
    return { ids: [id, row!.id] }
  },
  Automations_backfill: async () => ({
    ids: [await automationAfter('activate')],
    json: { days: 1, asOf: 'now' },
  }),
  async Automations_revokeBackfill() {
    const id = await automationAfter('activate')
    await api.call('POST', `/api/automations/${id}/backfill`, { json: { days: 1, asOf: 'now', perMinute: 1 } })
    await eventually('it is over, and no job ends it again', async () => {
      const ended = 'select from automation_backfills where automation_id = $1 and ended_at is not null'
      return (await instance.sql(ended, [id])).length > 0
    })
    await instance.sql(`update automation_backfills set state = 'running', ended_at = null where automation_id = $1`, [
      id,
    ])
    return { ids: [id] }
  },
  Automations_publish: async () => ({ ids: [await automation()], json: {} }),
  Automations_test: async () => ({ ids: [await automation()], json: {} }),
  Automations_pause: async () => ({ ids: [await automationAfter('activate')] }),
  Automations_resume: async () => ({ ids: [await automationAfter('activate', 'pause')], json: {} }),
  Automations_enroll: async () => ({
    ids: [await automationAfter('activate')],
    json: { contactIds: [await contact()] },
  }),
  Automations_retryRun: async () => ({ ids: await parkedRun() }),
  Automations_skipRun: async () => ({ ids: await parkedRun() }),
  Automations_exitRun: async () => ({ ids: await parkedRun() }),
  Automations_retryParked: async () => ({ ids: [await automationAfter('activate')], json: {} }),
  Automations_skipParked: async () => ({ ids: [await automationAfter('activate')], json: {} }),
  Automations_exitParked: async () => ({ ids: [await automationAfter('activate')], json: {} }),
  Automations_stop: async () => ({ ids: [await automationAfter('activate')] }),
  AuditEntries_export: async () => ({}),
  Suppressions_create: async () => ({ json: { destination: `${unique('audited')}@example.com` } }),
  Suppressions_delete: async () => ({ ids: [await suppression()] }),
  Suppressions_import: async () => ({ json: { csv: `${unique('audited')}@example.com` } }),
  Suppressions_export: async () => ({}),
}

async function carryOut(operation: Operation): Promise<{ requestId: string; status: number; text: string }> {
  const recipe = RECIPES[operation.operationId]
  assert.ok(recipe, `${operation.operationId} has no recipe: add one, or the reason why it is not recorded`)
  const { ids = [], json } = await recipe()
  const path = operation.path.replaceAll(/\{\w+\}/g, () => ids.shift() ?? assert.fail(operation.path))
  const requestId = `audited-${operation.operationId}`
  const call: Call = { headers: { 'x-request-id': requestId }, ...(json === undefined ? {} : { json }) }
  const { status, text } = await api.call(operation.method, path, call)
  return { requestId, status, text }
}

const isToBeRecorded = ({ operationId, method }: Operation) =>
  method === 'GET' ? RECORDED_READS.includes(operationId) : !(operationId in UNRECORDED)

test('every operation that changes something, and every export, leaves an entry with who did it', async () => {
  const faults: string[] = []
  const operations = api.operations.filter(isToBeRecorded)
  assert.ok(operations.length > 40)
  for (const operation of operations) {
    const { requestId, status, text } = await carryOut(operation)
    assert.ok(status >= 200 && status < 300, `${operation.operationId} ${status} ${text}`)
    const { json } = await api.call('GET', `/api/audit-entries?requestId=${requestId}`)
    const [entry] = json.items
    if (entry === undefined) faults.push(`${operation.operationId} left no entry`)
    else if (entry.actor.kind !== 'api_token' || entry.ip === null) faults.push(`${operation.operationId}: by nobody`)
  }
  assert.deepEqual(faults, [])
  // The page of the log offers to narrow it to any of these.
  const rows = await instance.sql<{ type: string }>(`select distinct target_type as type from audit_entries`)
  assert.deepEqual(
    rows.map(({ type }) => type).filter((type) => !TARGET_TYPES.includes(type)),
    [],
  )
})

test('what is not recorded is still there, so that the list of exceptions stays true', () => {
  const names = new Set(api.operations.map(({ operationId }) => operationId))
  for (const name of [...Object.keys(UNRECORDED), ...Object.keys(RECIPES)]) assert.ok(names.has(name), name)
})
