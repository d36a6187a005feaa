import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { declaredRoutes } from '../support/route-table.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi, type Operation } from './described-api.ts'

const NOT_SENT = 'nothing is sent before a domain of the sender is verified, which takes a DNS record'
const NOBODY_INSIDE = 'nobody has come into the automation'
/** Examples that a fresh workspace refuses, with the status that it answers and why it has to. */
const REFUSED: Readonly<Record<string, readonly [status: number, why: string]>> = {
  Contacts_merge: [422, 'its body names another contact, by the id that it has in your workspace'],
  BulkActs_erase: [409, 'its number is that of your workspace, and nobody fits here'],
  Broadcasts_heatMap: [409, 'nobody can have clicked on a broadcast before it has gone out'],
  Approvals_create: [422, 'its body names a broadcast, by the id that it has in your workspace'],
  Approvals_get: [404, 'no agent has asked for anything'],
  Emails_resolve: [409, 'only a message whose fate nobody knows is decided on'],
  Broadcasts_testSend: [422, NOT_SENT],
  Broadcasts_draftForUnopened: [409, NOT_SENT],
  Broadcasts_send: [422, NOT_SENT],
  Broadcasts_schedule: [422, NOT_SENT],
  Broadcasts_unschedule: [409, NOT_SENT],
  Broadcasts_pause: [409, NOT_SENT],
  Broadcasts_resume: [409, NOT_SENT],
  Broadcasts_cancel: [409, NOT_SENT],
  Broadcasts_retryFailed: [409, NOT_SENT],
  Broadcasts_resolveUncertain: [409, NOT_SENT],
  Automations_test: [422, NOT_SENT],
  Automations_backfill: [409, 'the example that closes the entry comes first'],
  Automations_revokeBackfill: [404, 'there is none'],
  Automations_enroll: [409, 'the example that closes the entry comes first'],
  Automations_explain: [400, 'its query names a contact'],
  IdentityConflicts_resolve: [404, 'no statement contradicts a contact here'],
  Automations_run: [404, NOBODY_INSIDE],
  Automations_simulate: [409, 'the example that stops it comes first'],
  Automations_getSimulation: [404, 'its id is of no simulation'],
  Automations_cancelSimulation: [404, 'its id is of no simulation'],
  Automations_retryRun: [404, NOBODY_INSIDE],
  Automations_skipRun: [404, NOBODY_INSIDE],
  Automations_exitRun: [404, NOBODY_INSIDE],
}

/** Examples that are refused, with this status, when what they act on has ended in the background before they come. */
const MAY_COME_LATE: Readonly<Record<string, number>> = {
  Imports_cancel: 422,
  BulkActs_cancel: 409,
  BulkActs_undo: 409,
}

/** Where the things stand that an operation makes, when that is not its own path. */
const STANDS_AT: Readonly<Record<string, (path: string) => string>> = {
  Webhooks_test: (path) => path.replace(/test$/, 'deliveries'),
  Emails_sendBatch: () => '/api/messages',
}

type Media = { schema?: { examples?: unknown[] }; example?: unknown; examples?: Record<string, { value: unknown }> }

let instance: TestedInstance
let api: DescribedApi
/** Things that the examples have made, by the path that each was made under. */
const made = new Map<string, string>()

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
  // Nothing but a mail server puts one there.
  await instance.sql(`insert into mailboxes (workspace_id, host, port, password_hash)
    values (1, '127.0.0.1', 1, sha256('')) on conflict do nothing`)
  const [mail] = await instance.sql<{ id: string }>(`insert into caught_mails
      (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
    values (1, '', '{ada@example.com}', 'Hello', '', '', 'x', 1) returning id`)
  made.set('/api/mailbox', mail!.id)
})
after(() => instance.close())

const bodyOf = ({ described }: Operation) =>
  (described.requestBody as { content: Record<string, Media> } | undefined)?.content['application/json']

/** Examples as a reader of the reference sees them, the first one first. */
function examplesOf(media: Media): unknown[] {
  const { example, examples = {}, schema } = media
  return [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
    ...(schema?.examples ?? []),
  ]
}

type Parameter = { example?: string; schema?: { examples?: string[] } }
const exampleOf = (parameter: Parameter | undefined) => parameter?.example ?? parameter?.schema?.examples?.[0]

/** The path with the ids of what the examples made, or undefined where there is none that it needs. */
function pathOf({ operationId, path, described }: Operation): string | undefined {
  const isMissing = REFUSED[operationId]?.[0] === 404
  let done = ''
  for (const part of path.slice(1).split('/')) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const parameter = described.parameters?.find((one) => one.name === name) as Parameter | undefined
    // `contacts/{contactId}/topics/{topicId}` names a topic under another path than its own,
    // `broadcasts/{id}/recipients/{contactId}` a contact.
    const kind = name === 'contactId' ? 'contacts' : done.split('/').at(-1)
    const known = () => made.get(done) ?? made.get(`/api/${kind}`) ?? (isMissing ? '1' : undefined)
    const value = name === undefined ? part : /id$/i.test(name) ? known() : exampleOf(parameter)
    if (value === undefined) return undefined
    done += `/${value}`
  }
  return done
}

const RANK = ['PATCH', 'PUT', 'POST', 'GET', 'DELETE']
/** Creations before what is done with what they make, then reads, deletions last and from within. */
const rankOf = ({ method, path, hasParameters }: Operation) =>
  method === 'POST' && !hasParameters
    ? -1
    : RANK.indexOf(method) - (method === 'DELETE' ? path.split('/').length / 100 : 0)

const paste = (operation: Operation, path: string, example: unknown) =>
  api.call(operation.method, path, example === undefined ? {} : { json: example as object })

test('every body has an example, and no two POSTs share a key', () => {
  for (const operation of api.operations) {
    const media = bodyOf(operation)
    if (media) assert.ok(examplesOf(media).length > 0, `${operation.operationId} has no example`)
    const [key] = (operation.described.parameters ?? []).filter(({ name }) => name === 'Idempotency-Key')
    assert.ok(!key || !('example' in key), operation.operationId)
  }
})

test('each example works when it is pasted, in a workspace that has only what the examples made', async (t) => {
  const faults: string[] = []
  const seen = new Set<string>()
  let worked = 0
  for (const operation of api.operations.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { operationId, method } = operation
    const path = pathOf(operation)
    if (path === undefined) {
      faults.push(`${operationId} has nothing to act on`)
      continue
    }
    const media = bodyOf(operation)
    const [example] = media ? examplesOf(media) : [undefined]
    const { status, text, json } = await paste(operation, path, example)
    const expected = REFUSED[operationId]
    if (expected) seen.add(operationId)
    if (status === MAY_COME_LATE[operationId]) continue
    if (expected ? status !== expected[0] : status >= 300) faults.push(`${operationId} ${path}: ${status} ${text}`)
    else if (!expected) worked += 1
    const id = json?.id ?? json?.kid ?? json?.tokenInfo?.id ?? json?.results?.[0]?.id
    const place = STANDS_AT[operationId]?.(path) ?? path
    if (method === 'POST' && status < 300 && typeof id === 'string' && !made.has(place)) made.set(place, id)
  }
  t.diagnostic(`${worked} of ${api.operations.length} examples work, ${seen.size} cannot`)
  assert.deepEqual(faults, [])
  assert.deepEqual([...seen].toSorted(), Object.keys(REFUSED).toSorted())
})

test('every body of the dashboard’s API has an example, which is what its schema asks for', async () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const bodies = (await declaredRoutes()).filter(({ surface, body }) => surface === 'site' && body?.type === 'object')
  for (const { operationId, body } of bodies) {
    const [example] = body!.examples ?? []
    assert.notEqual(example, undefined, `${operationId} has no example`)
    assert.ok(ajv.validate(body!, example), `${operationId}: ${ajv.errorsText()}`)
  }
  assert.ok(bodies.length > 40, `only ${bodies.length} were checked`)
})
