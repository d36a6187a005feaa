import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { countTokens } from 'gpt-tokenizer'
import { SCOPES, type Scope } from '../../server/catalogue/scopes.ts'
import { WAITING_OF_TOKEN_MAX } from '../../server/modules/approvals/ask-approval.ts'
import { forgetApprovals } from '../../server/modules/approvals/forget-approvals.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { type Json, refusalOf, rpc, run } from '../support/agent-client.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

const APP_URL = 'https://mail.example.com'
const instance = await startTestedInstance({ APP_URL, MCP_ALLOWED_ORIGINS: 'https://agents.example.com' })
after(() => instance.close())
const { baseUrl } = instance
const everything = await instance.makeToken()

const TOKENS_MAX = 8_000
const WORDS_MAX = 60
type Mode = 'legacy' | { pin: string }
const ERAS: readonly Mode[] = ['legacy', { pin: '2026-07-28' }]

/** The official client, as a foreigner. */
async function connected({ token = everything, mode = ERAS[1]!, query = '' } = {}): Promise<Client> {
  const client = new Client({ name: 'Foreigner', version: '7' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${query}`), { requestInit }))
  return client
}

const post = (json: unknown, headers: Record<string, string> = {}, token = everything) =>
  send('POST', `${baseUrl}/mcp`, { token, json, headers })

describe('both eras', () => {
  for (const mode of ERAS) {
    test(`the official client of ${JSON.stringify(mode)} finds tools, prompts and resources, and drafts`, async () => {
      const client = await connected({ mode })
      const { tools } = await client.listTools()
      assert.ok(tools.length >= 19)
      const overview = await run(client, 'workspace_overview')
      assert.deepEqual([(overview.workspace as Json).slug, overview.lacking], ['default', []])
      const broadcast = await run(client, 'broadcast_draft', { name: 'News', subject: 'Hello', body: '<p>Hello</p>' })
      assert.equal(broadcast.status, 'draft')
      const report = await run(client, 'broadcast_report', { broadcastId: broadcast.id })
      assert.equal((report.preflight as Json).ready, false)
      const { prompts } = await client.listPrompts()
      assert.equal(prompts.length, 4)
      const prompt = await client.getPrompt({ name: 'newsletter', arguments: { about: 'apples' } })
      assert.match(JSON.stringify(prompt.messages), /apples/)
      const { resources } = await client.listResources()
      assert.ok(resources.some(({ uri }) => uri === 'postroom://docs/agents'))
      const uris = ['docs/segments', 'openapi/Contacts_get', `broadcasts/${broadcast.id}/report`]
      for (const uri of uris) {
        const { contents } = await client.readResource({ uri: `postroom://${uri}` })
        assert.ok((contents[0] as { text: string }).text.length > 100, uri)
      }
      for (const uri of ['docs/none', 'docs/..%2f..%2fpackage', 'openapi/No_such', 'broadcasts/999/report'])
        await assert.rejects(client.readResource({ uri: `postroom://${uri}` }), uri)
      await assert.rejects(client.callTool({ name: 'tokens_create', arguments: {} }), /There is no tool/)
      await client.close()
    })

    test(`the official client of ${JSON.stringify(mode)} is offered values of arguments, as its token may read them`, async () => {
      const client = await connected({ mode })
      const asking = (by: Client) => async (uri: string, name: string, value: string) =>
        (await by.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
      const offered = asking(client)
      const ofPrompt = async (prompt: string, name: string, value: string) => {
        const ref = { type: 'ref/prompt' as const, name: prompt }
        return (await client.complete({ ref, argument: { name, value } })).completion
      }
      assert.deepEqual(await ofPrompt('win_back', 'days', '3'), { values: ['30', '365'], total: 2, hasMore: false })
      assert.deepEqual((await ofPrompt('newsletter', 'about', 'app')).values, [])
      assert.deepEqual((await offered('postroom://docs/{guide}', 'guide', 'SMT')).values, ['smtp'])
      const operations = await offered('postroom://openapi/{operationId}', 'operationId', 'contacts_')
      assert.ok(operations.values.includes('Contacts_get') && !operations.values.includes('Contacts_erase'))
      const template = await run(client, 'template_save', {
        name: `Offer ${crypto.randomUUID()}`,
        subject: 'A',
        body: 'B',
      })
      const broadcast = await run(client, 'broadcast_draft', { name: `Offered ${crypto.randomUUID()}` })
      for (const [uri, { id, name }] of [
        ['postroom://templates/{id}', template],
        ['postroom://broadcasts/{id}/report', broadcast],
      ] as const) {
        assert.deepEqual((await offered(uri, 'id', String(name))).values, [id], uri)
        for (const typed of ['', String(id)])
          assert.ok((await offered(uri, 'id', typed)).values.includes(String(id)), uri)
        assert.deepEqual((await offered(uri, 'id', 'nothing is called so')).values, [], uri)
      }
      const lesser = await connected({ mode, token: await instance.makeToken(['contacts:read']) })
      for (const uri of ['postroom://templates/{id}', 'postroom://broadcasts/{id}/report'])
        assert.deepEqual((await asking(lesser)(uri, 'id', '')).values, [], uri)
      const mine = await asking(lesser)('postroom://openapi/{operationId}', 'operationId', '')
      assert.ok(mine.values.includes('Contacts_get') && !mine.values.includes('Templates_get'))
      const wrong = [
        ['no_such', 'days'],
        ['win_back', 'about'],
        ['__proto__', 'days'],
      ] as const
      for (const [prompt, name] of wrong) await assert.rejects(ofPrompt(prompt, name, ''), { code: -32_602 })
      for (const uri of ['postroom://docs/agents', 'postroom://tokens/{id}', 'file:///{id}'])
        await assert.rejects(offered(uri, 'id', ''), { code: -32_602 })
      await lesser.close()
      await client.close()
    })
  }
})

/** Operations that are not read by GET, and that agents have. */
const CALLABLE = [
  ...[
    'Automations_cancelSimulation',
    'Automations_create',
    'Automations_previewPublish',
    'Automations_restoreRevision',
  ],
  ...['Automations_runScenarios', 'Automations_simulate', 'Automations_update', 'Broadcasts_create'],
  ...['Broadcasts_setAudience', 'Broadcasts_update', 'Contacts_create', 'Contacts_update', 'Contacts_upsert'],
  ...['CustomFields_create', 'SavedBlocks_create', 'Segments_create', 'Segments_preview', 'Tags_create'],
  ...['Topics_create', 'Unsubscribes_create'],
]

describe('the list of tools', () => {
  test('costs few tokens, is the same each time, and says of each tool what it does', async () => {
    const client = await connected()
    const first = JSON.stringify(await client.listTools())
    assert.equal(JSON.stringify(await client.listTools()), first)
    const tokens = countTokens(first)
    assert.ok(tokens <= TOKENS_MAX, `${tokens} tokens`)
    for (const { name, description = '', annotations, outputSchema, inputSchema } of JSON.parse(first).tools) {
      assert.ok(description.split(/\s+/).length <= WORDS_MAX, name)
      assert.equal(Object.values(annotations).filter((hint) => typeof hint === 'boolean').length, 4, name)
      assert.equal(outputSchema.type, 'object', name)
      const given = Object.keys(inputSchema.properties)
      assert.ok(
        !given.some((field) => /url|to$|recipient|address/i.test(field)),
        `${name} takes no recipient and no URL`,
      )
      assert.ok(!given.includes('email') || ['contacts_search', 'contact_upsert'].includes(name), name)
    }
    await client.close()
  })

  test('is as long as the scopes of the token and the address allow', async () => {
    const namesOf = async (options: object) => {
      const client = await connected(options)
      const { tools } = await client.listTools()
      await client.close()
      return tools.map(({ name }) => name)
    }
    const token = await instance.makeToken(['contacts:read'])
    const people = ['contacts_search', 'contact_get', 'message_explain']
    const seen = await namesOf({ token })
    assert.deepEqual(
      seen.filter((name) => !name.startsWith('api_')),
      ['workspace_overview', ...people],
    )
    assert.deepEqual(await namesOf({ token, query: '?toolsets=people,nonsense' }), people.slice(0, 2))
    assert.deepEqual(await namesOf({ query: '?toolsets=nonsense' }), [])
    const readOnly = await namesOf({ query: '?read_only=true' })
    assert.ok(!readOnly.some((name) => /save|draft|upsert|tag|stop|call/.test(name)), String(readOnly))
    const client = await connected({ token })
    const refusal = await refusalOf(client, 'contact_upsert', { email: 'a@b.example' })
    assert.deepEqual([refusal.code, refusal.missingScopes], ['missing-scope', ['contacts:write']])
    const { lacking } = await run(client, 'workspace_overview')
    assert.ok((lacking as { tool: string }[]).some(({ tool }) => tool === 'contact_upsert'))
    await client.close()
  })

  test('has nothing between the workspace and its members, programs and providers', async () => {
    const client = await connected()
    const document = (await send('GET', `${baseUrl}/api/openapi.json`)).json
    const paths = Object.values(document.paths as Record<string, Record<string, Json>>)
    const operations = paths.flatMap((methods) => Object.values(methods))
    const kept = operations.filter((operation) =>
      /^(Tokens|Auth|AuditEntries|Integrations|Webhooks|Exports|Imports|FeedbackHooks|Emails|SendingSettings|Mailbox)_|_(send|testSend|erase|export|activate|publish$|schedule|resume|retry|enroll|requestConfirmation)/i.test(
        operation.operationId as string,
      ),
    )
    assert.ok(kept.length > 50)
    for (const { operationId } of kept) {
      const refusal = await refusalOf(client, 'api_call', { operationId, dryRun: false })
      assert.equal(refusal.code, 'not-found', String(operationId))
    }
    await client.close()
  })

  test('changes one thing at a time that no mail rests on, and deletes nothing', async () => {
    const client = await connected()
    const { json } = await send('GET', `${baseUrl}/api/openapi.json`)
    const changing = Object.values(json.paths as Record<string, Record<string, Json>>).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [String(operationId)])),
    )
    const callable: string[] = []
    for (const operationId of changing) {
      const { content } = await client.callTool({ name: 'api_call', arguments: { operationId } })
      if (!JSON.stringify(content).includes('not-found')) callable.push(operationId)
    }
    assert.deepEqual(callable.sort(), CALLABLE)
    await client.close()
  })
})

describe('acts', () => {
  test('the same call that makes something makes one thing, and the audit log has tool and client', async () => {
    const client = await connected()
    const input = {
      name: 'Everybody named',
      definition: '{"combinator":"and","rules":[{"field":"firstName","operator":"notNull"}]}',
    }
    const one = await run(client, 'segment_save', input)
    const renamed = await run(client, 'segment_save', { segmentId: one.id, name: 'Named' })
    assert.deepEqual([renamed.id, renamed.name], [one.id, 'Named'])
    const other = await client.callTool({
      name: 'segment_save',
      arguments: { segmentId: one.id, definition: input.definition },
    })
    assert.equal(other.isError, true)
    assert.match(JSON.stringify(other.content), /invalid-request.*stays: create another/, 'a tool says no by itself')
    assert.equal(typeof (await run(client, 'segment_preview', { segmentId: one.id })).count, 'number')
    const template = await run(client, 'template_save', {
      name: 'Hi',
      subject: 'Hi',
      body: '<p>Hi {{ first_name }}</p>',
    })
    const broadcast = { name: 'From a template', templateId: template.id, segmentIds: [one.id] }
    const draft = await run(client, 'broadcast_draft', broadcast)
    assert.deepEqual([draft.subject, draft.segmentIds], ['Hi', [one.id]])
    assert.equal((await run(client, 'broadcast_draft', broadcast)).id, draft.id)
    await send('PATCH', `${baseUrl}/api/templates/${template.id}`, { token: everything, json: { subject: 'Hello' } })
    const changed = await run(client, 'broadcast_draft', broadcast)
    assert.deepEqual([changed.id === draft.id, changed.subject], [false, 'Hello'], 'it says something else by now')
    // Ten minutes later.
    const later = `update idempotency_keys set expires_at = expires_at - interval '10 minutes' where expires_at < now() + interval '11 minutes'`
    await instance.sql(later)
    assert.notEqual((await run(client, 'broadcast_draft', broadcast)).id, changed.id)
    const rows = await instance.sql<{ user_agent: string; actor_kind: string }>(
      `select user_agent, actor_kind from audit_entries where action = 'broadcast.create' order by id desc limit 1`,
    )
    assert.equal(rows[0]!.actor_kind, 'api_token')
    assert.match(rows[0]!.user_agent, /^mcp \(tool broadcast_draft; client "Foreigner 7"\)/)
    await client.close()
  })

  test('problems of operations are answers that name the field or the code', async () => {
    const client = await connected()
    assert.equal((await refusalOf(client, 'contact_get', { contactId: '999999' })).code, 'not-found')
    assert.match(String((await refusalOf(client, 'contact_get', { id: '1' })).detail), /contactId is required/)
    assert.equal((await refusalOf(client, 'contact_upsert', { email: 'no address' })).code, 'invalid-request')
    assert.equal((await refusalOf(client, 'broadcast_stop', { broadcastId: '999999', act: 'pause' })).code, 'not-found')
    await client.close()
  })

  test('a number that programs would round is shown with all its digits', async () => {
    const json = { email: 'digits@example.com', customFields: { account: JSON.rawJSON('9007199254740993') } }
    const made = await send('POST', `${baseUrl}/api/contacts`, { token: everything, json })
    const client = await connected()
    const { untrusted } = await run(client, 'contact_get', { contactId: made.json.id })
    assert.deepEqual((untrusted as Json).customFields, { account: '9007199254740993' })
    await client.close()
  })

  test('other operations are found, shown first and called when that is said', async () => {
    const client = await connected()
    const { items } = await run(client, 'api_search', { query: 'list topics' })
    assert.ok((items as Json[]).some(({ operationId }) => operationId === 'Topics_list'))
    assert.equal((await run(client, 'api_call', { operationId: 'Topics_list' })).called, false)
    const made = { operationId: 'Topics_create', body: { name: 'News' }, dryRun: false }
    const { untrusted } = await run(client, 'api_call', made)
    assert.equal(((untrusted as Json).answer as Json).name, 'News')
    for (const contactId of ['..', '%2e%2e', '.', '']) {
      const call = { operationId: 'Contacts_get', params: { contactId }, dryRun: false }
      assert.match(String((await refusalOf(client, 'api_call', call)).code), /invalid-request|not-found/)
    }
    const contact = await run(client, 'contact_upsert', { email: 'steps@example.com' })
    const steps = { contactId: contact.id, remove: ['..'] }
    assert.equal((await refusalOf(client, 'contact_tag', steps)).code, 'invalid-request')
    await client.close()
  })
})

describe('the front door', () => {
  test('is what the guide gives to a client', async () => {
    const guide = await readFile(new URL('../../docs/guides/agents.md', import.meta.url), 'utf8')
    const { postroom } = JSON.parse(/^```json\n(.*?)^```$/ms.exec(guide)![1]!).mcpServers
    const url = new URL(postroom.url.replace('https://mail.example.com', baseUrl))
    const requestInit = { headers: { Authorization: postroom.headers.Authorization.replace('prt_…', everything) } }
    const client = new Client({ name: 'Foreigner', version: '7' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    assert.deepEqual((await run(client, 'workspace_overview')).lacking, [])
    await client.close()
  })

  test('knows tokens, origins, and one method', async () => {
    const list = rpc('tools/list')
    const bare = await send('POST', `${baseUrl}/mcp`, { json: list })
    assert.equal(bare.status, 401)
    const metadata = `${APP_URL}/.well-known/oauth-protected-resource/mcp`
    assert.ok(
      String(bare.headers['www-authenticate']).startsWith(`Bearer realm="postroom", resource_metadata="${metadata}", `),
    )
    assert.equal((await post(list, {}, 'prt_nonsense')).status, 401)
    for (const [origin, status] of [
      ['https://evil.example', 403],
      [baseUrl, 403],
      ['null', 403],
      [APP_URL, 200],
      ['https://agents.example.com', 200],
    ] as const)
      assert.equal((await post(list, { origin })).status, status, origin)
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      assert.equal((await send(method, `${baseUrl}/mcp`, { token: everything })).status, 405, method)
  })

  test('holds the headers of the protocol to the body', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const list = rpc('tools/list', { _meta: meta })
    const right = await post(list, headers)
    assert.deepEqual([right.status, right.json.result.resultType], [200, 'complete'])
    const wrong = await post(list, { ...headers, 'mcp-method': 'tools/call' })
    assert.deepEqual([wrong.status, wrong.json.error.code], [400, -32_020])
    const future = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const later = await post(rpc('tools/list', { _meta: future }), { ...headers, 'mcp-protocol-version': '2099-01-01' })
    assert.deepEqual([later.status, later.json.error.code], [400, -32_022])
    const unknown = await post(rpc('nope/nope', { _meta: meta }), { ...headers, 'mcp-method': 'nope/nope' })
    assert.deepEqual([unknown.status, unknown.json.error.code], [404, -32_601])
    const listen = await post(rpc('subscriptions/listen', { _meta: meta }), headers)
    assert.deepEqual([listen.status, listen.json.error.code], [404, -32_601])
    const batch = await post([rpc('tools/list'), rpc('ping')])
    assert.deepEqual([batch.status, batch.json.error.code], [400, -32_600])
  })

  test('answers no hostile body with a fault of its own', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
    const odd = [
      null,
      5,
      'x',
      {},
      { jsonrpc: '1.0' },
      { method: 'tools/list' },
      rpc('tools/call'),
      rpc('tools/call', { name: 7 }),
    ]
    const named = ['constructor', '__proto__', '', 'x'.repeat(5_000), '\u0000', '../tools'].map((name) =>
      rpc('tools/call', { name, arguments: {} }),
    )
    const inputs = [null, [], deep, { contactId: {} }, { contactId: '1\u0000' }, { contactId: '99999999999999999999' }]
    const called = inputs.map((given) => rpc('tools/call', { name: 'contact_get', arguments: given }))
    const ids = [{}, [], null, 1.5, 'x'.repeat(10_000)].map((id) => rpc('tools/list', {}, { id }))
    const read = ['', 'x', 'postroom://', 'postroom://docs/../../x', 'file:///etc/passwd'].map((uri) =>
      rpc('resources/read', { uri }),
    )
    for (const body of [...odd, ...named, ...called, ...ids, ...read]) {
      const answer = await post(body)
      assert.ok(answer.status < 500, `${answer.status} ${JSON.stringify(body).slice(0, 200)} ${answer.text}`)
    }
    for (const body of ['', '{', '\u0000', '[[[[', '{"__proto__":1}', 'x'.repeat(1_100_000)]) {
      const headers = { 'content-type': 'application/json' }
      const answer = await send('POST', `${baseUrl}/mcp`, { token: everything, body, headers })
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`)
    }
  })

  test('calls are counted with the API, once, and by tool', async () => {
    const client = await connected()
    await run(client, 'workspace_overview')
    await client.close()
    await eventually('the metrics have the call', async () => /operation_id="Mcp_call"/.test(await instance.metrics()))
    const metrics = await instance.metrics()
    assert.match(metrics, /ogen_server_request_count_total\{[^}]*operation_id="Mcp_call",http_route="\/mcp"/)
    assert.doesNotMatch(metrics, /operation_id="Auth_me"/)
    assert.match(metrics, /postroom_mcp_calls_total\{[^}]*tool="workspace_overview",outcome="done"/)
  })
})

describe('strangers', () => {
  test('another workspace is not seen, whatever is asked', async () => {
    const id = await instance.makeWorkspace('elsewhere')
    const token = await instance.makeToken(SCOPES as readonly Scope[], id)
    const client = await connected({ token })
    assert.equal((await run(client, 'contacts_search')).total, 0)
    const [row] = await instance.sql<{ id: string }>('select id from contacts where workspace_id = 1 limit 1')
    assert.equal((await refusalOf(client, 'contact_get', { contactId: row!.id })).code, 'not-found')
    await client.close()
  })
})

describe('asking to send', () => {
  const site = siteCaller(instance)
  const api = (method: string, path: string, json?: unknown) =>
    send(method, `${baseUrl}/api${path}`, { token: everything, ...(json === undefined ? {} : { json }) })
  const decide = (cookie: string | undefined, id: unknown, verb: string, json: object = {}) =>
    site.call('POST', `/site/workspaces/default/approvals/${id}/${verb}`, { cookie, json })
  const setUp = once(async () => {
    await api('POST', '/sending-domains', { domain: 'asking.example' })
    await instance.sql('update sending_domain_keys set verified_at = now()')
    const config = { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'news@asking.example' }
    const integration = await api('POST', '/integrations', { name: 'Relay', config })
    const segment = await api('POST', '/segments', { name: 'Asked', definition: JSON.stringify(RULES) })
    for (let n = 0; n < 20; n++) await api('PUT', '/contacts', { email: `asked-${n}@example.com`, lastName: 'Asked' })
    await instance.sql("update workspaces set name = 'Engines' where id = 1")
    const [owner, viewer] = [await site.person('Olga', 'owner'), await site.person('Vera', 'viewer')]
    return { integrationId: integration.json.id, segmentId: segment.json.id, owner, viewer }
  })
  const RULES = { combinator: 'and', rules: [{ field: 'lastName', operator: '=', value: 'Asked' }] }

  /** A draft that could be sent, and the request for it. */
  async function asked(client: Client, more: object = {}) {
    const { integrationId, segmentId } = await setUp()
    const content = { subject: 'Hello', body: '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>' }
    const draft = await run(client, 'broadcast_draft', {
      name: `Ask ${crypto.randomUUID()}`,
      ...content,
      segmentIds: [segmentId],
    })
    await api('PATCH', `/broadcasts/${draft.id}`, { integrationId })
    const request = await run(client, 'send_request', {
      act: 'broadcast',
      broadcastId: draft.id,
      note: 'Please.',
      ...more,
    })
    return { broadcastId: draft.id as string, request, id: request.approvalId as string }
  }
  const statusOf = async (id: string) => (await api('GET', `/broadcasts/${id}`)).json.status

  test('a person sends exactly what was asked for, once, and the log has all of it', async () => {
    const client = await connected()
    const { owner, viewer } = await setUp()
    const { broadcastId, request, id } = await asked(client)
    assert.deepEqual([request.status, request.recipientsCount], ['waiting-for-approval', 20])
    assert.equal(request.approvalUrl, `${APP_URL}/app/default/approvals/${id}`)
    assert.equal((await run(client, 'send_request', { act: 'broadcast', broadcastId })).approvalId, id)
    assert.equal(await statusOf(broadcastId), 'draft')
    const { json } = await api('GET', `/approvals/${id}`)
    assert.deepEqual(json.plan.people, Array(5).fill('a***@example.com'))
    assert.match(json.plan.preview.html, /Hello/)
    assert.deepEqual([json.note, json.askedBy.client], ['Please.', 'Foreigner 7'])
    // Neither a token, nor nobody, nor somebody who may only look.
    for (const path of [`/approvals/${id}/approve`, `/approvals/${id}/reject`])
      assert.equal((await api('POST', path, {})).status, 404)
    const withToken = { token: everything, json: {} }
    const asSite = await site.call('POST', `/site/workspaces/default/approvals/${id}/approve`, withToken)
    assert.equal(asSite.status, 401)
    assert.equal((await decide(undefined, id, 'approve')).status, 401)
    assert.equal((await decide(viewer.cookie, id, 'approve')).status, 403)
    assert.equal(await statusOf(broadcastId), 'draft')
    const done = await decide(owner.cookie, id, 'approve')
    assert.deepEqual([done.status, done.json.status, done.json.decidedBy.name], [200, 'approved', 'Olga'], done.text)
    assert.notEqual(await statusOf(broadcastId), 'draft')
    assert.equal((await decide(owner.cookie, id, 'approve')).json.code, 'wrong-status')
    assert.equal((await run(client, 'send_status', { approvalId: id })).status, 'approved')
    const log = await instance.sql<{ action: string; diff: Json }>(
      `select action, diff from audit_entries where target_type = 'approval' and target_id = $1 order by id`,
      [id],
    )
    assert.deepEqual(
      log.map(({ action }) => action),
      ['approval.ask', 'approval.approve'],
    )
    assert.equal(((log[1]!.diff.askedBy as Json).to as Json).client, 'Foreigner 7')
    await run(client, 'broadcast_stop', { broadcastId, act: 'cancel' })
    await client.close()
  })

  test('other content, other rules, another audience, or another day is refused, and nothing is sent', async () => {
    const client = await connected()
    const { owner, segmentId } = await setUp()
    const refused = async (change: (asked: { broadcastId: string; id: string }) => Promise<unknown>) => {
      const request = await asked(client)
      await change(request)
      const answer = await decide(owner.cookie, request.id, 'approve')
      assert.deepEqual([answer.status, answer.json.code], [409, 'plan-changed'], answer.text)
      assert.equal(await statusOf(request.broadcastId), 'draft')
    }
    await refused(({ broadcastId }) => run(client, 'broadcast_draft', { broadcastId, subject: 'Another' }))
    await refused(({ broadcastId }) => run(client, 'broadcast_draft', { broadcastId, segmentIds: [] }))
    await refused(() => run(client, 'segment_save', { segmentId, name: 'Renamed' }))
    await refused(async () => {
      for (const n of [1, 2]) await run(client, 'contact_upsert', { email: `more-${n}@example.com`, lastName: 'Asked' })
    })
    const moved = await asked(client)
    for (const n of [3, 4]) await run(client, 'contact_upsert', { email: `more-${n}@example.com`, lastName: 'Asked' })
    const anew = await run(client, 'send_request', { act: 'broadcast', broadcastId: moved.broadcastId })
    assert.notEqual(anew.approvalId, moved.id, 'it can be asked for anew')
    const { json: topic } = await api('POST', '/topics', { name: 'Asked for', subscription: 'opt_in' })
    await refused(async (request) => {
      await api('PATCH', `/broadcasts/${request.broadcastId}`, { topicId: topic.id })
      request.id = (await run(client, 'send_request', { act: 'broadcast', broadcastId: request.broadcastId }))
        .approvalId as string
      assert.equal((await api('PATCH', `/topics/${topic.id}`, { subscription: 'everyone' })).status, 200)
    })
    const relay = `/integrations/${(await setUp()).integrationId}`
    const config = { kind: 'smtp', host: '127.0.0.1', port: 1 }
    await refused(async ({ id }) => {
      const { plan } = (await api('GET', `/approvals/${id}`)).json
      assert.deepEqual([plan.fromName, plan.fromEmail], [null, 'news@asking.example'], 'whom readers will see is shown')
      const other = { ...config, from: 'other@asking.example', fromName: 'Somebody else' }
      assert.equal((await api('PATCH', relay, { config: other })).status, 200)
    })
    await api('PATCH', relay, { config: { ...config, from: 'news@asking.example', fromName: null } })
    await refused(({ id }) => instance.sql(`update approvals set expires_at = now() where id = ${id}`))
    await refused(({ id }) =>
      instance.sql(`update approvals set scheduled_at = now() - interval '1 second' where id = ${id}`),
    )
    await client.close()
  })

  test('a person turns down, many people ask for a password, and a time to come is kept', async () => {
    const client = await connected()
    const { owner } = await setUp()
    const no = await asked(client)
    assert.equal((await decide(owner.cookie, no.id, 'reject')).json.status, 'rejected')
    assert.equal((await decide(owner.cookie, no.id, 'approve')).json.code, 'wrong-status')
    const at = '2036-12-01T08:00:00Z'
    const later = await asked(client, { at })
    await instance.sql(`update approvals set recipients_count = 1001 where id = ${later.id}`)
    assert.equal((await decide(owner.cookie, later.id, 'approve')).json.errors[0].pointer, '/password')
    const wrong = await decide(owner.cookie, later.id, 'approve', { password: 'nonsense' })
    assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, '/password'])
    assert.equal(
      (await decide(owner.cookie, later.id, 'approve', { password: owner.password })).json.code,
      'plan-changed',
    )
    await instance.sql(
      `update approvals set recipients_count = (select count(*) from contacts where last_name = 'Asked') where id = ${later.id}`,
    )
    assert.equal((await decide(owner.cookie, later.id, 'approve')).status, 200)
    const { json } = await api('GET', `/broadcasts/${later.broadcastId}`)
    assert.deepEqual([json.status, Date.parse(json.scheduledAt)], ['scheduled', Date.parse(at)])
    const beyond = await api('POST', '/approvals', { act: 'broadcast', broadcastId: '9'.repeat(30) })
    assert.equal(beyond.status, 422, beyond.text)
    const past = { act: 'broadcast', broadcastId: no.broadcastId, at: '2020-01-01T00:00:00Z' }
    assert.equal((await refusalOf(client, 'send_request', past)).code, 'invalid-request')
    await client.close()
  })

  test('approved for later, it is judged once more when that comes: another audience asks anew, and sends nothing', async () => {
    const client = await connected()
    const { owner, segmentId } = await setUp()
    const at = '2036-12-01T08:00:00Z'
    const [same, other] = [await asked(client, { at }), await asked(client, { at, note: 'Later.' })]
    for (const { id } of [same, other]) assert.equal((await decide(owner.cookie, id, 'approve')).status, 200)
    const come = async ({ broadcastId }: { broadcastId: string }) => {
      await instance.sql(`update broadcasts set scheduled_at = now() - interval '1 second' where id = ${broadcastId}`)
      await instance.sql(`update jobs.job_common set start_after = now(), created_on = now()
        where data ->> 'kind' = 'advance_broadcast' and data ->> 'payload' like '%"${broadcastId}"%' and state < 'active'`)
    }
    await come(same)
    await eventually('what is as it was approved starts', async () =>
      /sending|sent/.test(await statusOf(same.broadcastId)),
    )
    const wider = { combinator: 'or', rules: [...RULES.rules, { field: 'firstName', operator: '=', value: 'Anybody' }] }
    await api('PATCH', `/segments/${segmentId}`, { definition: JSON.stringify(wider) })
    await come(other)
    await eventually('it is a draft again', async () => (await statusOf(other.broadcastId)) === 'draft')
    const { items } = (await api('GET', '/approvals')).json
    const [anew] = items.filter((one: { broadcastId: string }) => one.broadcastId === other.broadcastId)
    assert.deepEqual([anew.status, anew.scheduledAt, anew.note], ['waiting', null, 'Later.'])
    const [why] = await instance.sql<{ diff: Json }>(
      `select diff from audit_entries where action = 'broadcast.unschedule' and target_id = $1`,
      [other.broadcastId],
    )
    assert.match(JSON.stringify(why!.diff), /Not as it was approved .*rules of its audience have changed/)
    await api('PATCH', `/segments/${segmentId}`, { definition: JSON.stringify(RULES) })
    await client.close()
  })

  test('so many requests wait at once, and old ones are forgotten, but those that something rests on', async () => {
    const client = await connected()
    const { broadcastId, id } = await asked(client)
    const copies = `insert into approvals (workspace_id, broadcast_id, content_hash, recipients_count, plan, note, asked_by, expires_at)
      select workspace_id, broadcast_id, content_hash, recipients_count, plan, 'copy', asked_by, expires_at
      from approvals, generate_series(1, ${WAITING_OF_TOKEN_MAX}) where id = ${id}`
    await instance.sql(copies)
    await run(client, 'broadcast_draft', { broadcastId, subject: 'One more' })
    const refused = await refusalOf(client, 'send_request', { act: 'broadcast', broadcastId })
    assert.equal(refused.code, 'limit-reached')
    assert.match(JSON.stringify(refused), /of this token wait already: people decide on those first/)
    await instance.sql(
      `update approvals set asked_by = '{"tokenId": "0"}', created_at = created_at - interval '400 days',
         expires_at = expires_at - interval '400 days' where note = 'copy'`,
    )
    await run(client, 'send_request', { act: 'broadcast', broadcastId })
    const pool = createPool({ name: 'pgx', url: instance.database.url, max: 1 })
    assert.equal(await forgetApprovals(pool, () => false).finally(() => pool.end()), 'done')
    const left = await instance.sql(`select id from approvals where note = 'copy'`)
    assert.deepEqual(left, [])
    assert.equal((await api('GET', `/approvals/${id}`)).status, 200)
    await client.close()
  })

  const mail = { subject: 'Welcome', body: '<p>Welcome. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>' }
  const welcome = { triggerEvent: 'joined', steps: [{ type: 'email', ...mail }] }

  test('an automation is activated as it was looked at, by somebody who may, with their password', async () => {
    const client = await connected()
    const { owner } = await setUp()
    const { json: automation } = await api('POST', '/automations', { name: 'Welcome', ...welcome })
    const act = { act: 'automation', automationId: automation.id }
    const askFor = async () => (await run(client, 'send_request', act)).approvalId
    const id = await askFor()
    const { json } = await api('GET', `/approvals/${id}`)
    assert.deepEqual([json.needsPassword, json.plan.preview, json.plan.mails.length], [true, null, 1])
    assert.match(json.plan.mails[0].html, /Welcome/)
    assert.match(json.plan.definition, /joined/)
    assert.equal((await decide(owner.cookie, id, 'approve')).json.errors[0].pointer, '/password')
    const withPassword = { password: owner.password }
    await api('PATCH', `/automations/${automation.id}`, { steps: [{ type: 'wait', seconds: 60 }, ...welcome.steps] })
    assert.equal((await decide(owner.cookie, id, 'approve', withPassword)).json.code, 'plan-changed')
    const done = await decide(owner.cookie, await askFor(), 'approve', withPassword)
    assert.deepEqual([done.status, done.json.status], [200, 'approved'], done.text)
    assert.equal((await api('GET', `/automations/${automation.id}`)).json.status, 'active')
    assert.equal((await refusalOf(client, 'send_request', act)).code, 'wrong-status')
    assert.equal(
      (await refusalOf(client, 'send_request', { ...act, at: '2036-12-01T08:00:00Z' })).code,
      'invalid-request',
    )
    await api('POST', `/automations/${automation.id}/stop`, {})
    await client.close()
  })

  test('a template is mailed to one contact, once, in the version that was looked at', async () => {
    const client = await connected()
    const { owner, integrationId } = await setUp()
    const { json: template } = await api('POST', '/templates', {
      name: 'Note',
      subject: 'For {{ first_name }}',
      body: '<p>Hi</p>',
    })
    const { json: contact } = await api('PUT', '/contacts', { email: 'one@example.com', firstName: 'Uma' })
    const act = { act: 'email', templateId: template.id, contactId: contact.id }
    const id = (await run(client, 'send_request', act)).approvalId
    const { plan } = (await api('GET', `/approvals/${id}`)).json
    assert.deepEqual([plan.people, plan.preview.subject], [['o***@example.com'], 'For Uma'])
    assert.equal(plan.fromEmail, 'news@asking.example')
    await api('PATCH', `/templates/${template.id}`, { subject: 'Other' })
    assert.equal((await decide(owner.cookie, id, 'approve')).json.code, 'plan-changed')
    const again = (await run(client, 'send_request', act)).approvalId
    const twice = await Promise.all([1, 2].map(() => decide(owner.cookie, again, 'approve')))
    assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 409], 'of two at once one is the second')
    const mailed = await instance.sql<{ n: string }>(
      `select count(*) as n from messages where destination = 'one@example.com'`,
    )
    assert.equal(mailed[0]!.n, '1')
    const later = await run(client, 'send_request', { ...act, at: new Date(Date.now() + 3_600_000).toISOString() })
    assert.equal((await decide(owner.cookie, later.approvalId, 'approve')).status, 200)
    const sender = (from: string) => api('PATCH', `/integrations/${integrationId}`, { config: { from } })
    assert.equal((await sender('other@asking.example')).status, 200)
    const [email] = (await api('GET', `/emails?contactId=${contact.id}`)).json.items
    const { json: shown } = await api('GET', `/messages/${email.id}/content`)
    assert.deepEqual(shown.from, { address: plan.fromEmail, name: plan.fromName }, 'of whom it was looked at')
    await sender(plan.fromEmail)
    for (const [wrong, pointer] of [
      [{ ...act, contactId: '999999' }, '/contactId'],
      [{ ...act, templateId: '999999' }, '/templateId'],
      [{ act: 'email', templateId: template.id }, '/contactId'],
      [{ ...act, broadcastId: '1' }, '/broadcastId'],
    ] as const)
      assert.equal((await api('POST', '/approvals', wrong)).json.errors[0].pointer, pointer)
    await client.close()
  })

  test('what is within the budget of a token is done at once, what is beyond it waits for a person and says why', async () => {
    const { owner, viewer, segmentId } = await setUp()
    const scopes = [
      'mcp:send',
      'approvals:read',
      'broadcasts:read',
      'broadcasts:write',
      'broadcasts:send',
      'automations:activate',
      'emails:send',
    ]
    const made = await api('POST', '/auth/tokens', { name: 'agent', scopes })
    const policyPath = `/site/workspaces/default/tokens/${made.json.tokenInfo.id}/send-policy`
    const set = (json: object, cookie = owner.cookie) => site.call('PUT', policyPath, { cookie, json })
    const client = await connected({ token: made.json.token })
    const budget = { recipientsPerSend: 30, recipientsPerDay: 50, sendsPerDay: 9, segmentIds: [segmentId] }
    assert.equal((await set({ mode: 'budget', budget }, viewer.cookie)).status, 403)
    for (const [wrong, pointer] of [
      [{ mode: 'budget' }, '/budget'],
      [{ mode: 'off', budget }, '/budget'],
      [{ mode: 'budget', budget: { ...budget, recipientsPerSend: 1_001 } }, '/password'],
      [{ mode: 'budget', budget: { ...budget, segmentIds: ['999999'] } }, '/budget/segmentIds/0'],
      [
        { mode: 'budget', budget: { ...budget, hours: { from: '09:00', until: '17:00', zone: 'No/Where' } } },
        '/budget/hours/zone',
      ],
    ] as const)
      assert.equal((await set(wrong)).json.errors[0].pointer, pointer, JSON.stringify(wrong))
    assert.equal((await set({ mode: 'budget', budget })).status, 200)
    const two = await Promise.all([asked(client), asked(client), asked(client)])
    const granted = two.filter(({ request }) => request.status === 'approved')
    const [held] = two.filter(({ request }) => request.status !== 'approved')
    assert.deepEqual([granted.length, held!.request.status], [2, 'waiting-for-approval'])
    assert.match(String(held!.request.budgetReason), /of 50 in 24 hours 4\d are spent/)
    for (const { broadcastId } of granted) assert.notEqual(await statusOf(broadcastId), 'draft')
    assert.equal(await statusOf(held!.broadcastId), 'draft')
    const { sendPolicy } = await run(client, 'workspace_overview')
    assert.deepEqual([(sendPolicy as Json).mode, (sendPolicy as Json).sendsLeft], ['budget', 7])
    const { json } = await site.call('GET', policyPath, { cookie: owner.cookie })
    assert.deepEqual(json.spent.sends, 2)
    const [log] = await instance.sql<{ actor_kind: string; diff: Json }>(
      `select actor_kind, diff from audit_entries where action = 'approval.approve' and target_id = $1`,
      [granted[0]!.id],
    )
    assert.deepEqual([log!.actor_kind, log!.diff.byBudget], ['api_token', { from: false, to: true }])
    // What another token asked for waits for a person still, and what is scheduled counts at its time.
    const other = (await connected()).callTool({
      name: 'send_request',
      arguments: { act: 'broadcast', broadcastId: held!.broadcastId },
    })
    const [ofOther] = ((await other).content as { text: string }[]).map(({ text }) => JSON.parse(text) as Json)
    assert.deepEqual([ofOther!.status, ofOther!.approvalId === held!.id], ['waiting-for-approval', false])
    const later = await asked(client, { at: '2036-12-01T08:00:00Z' })
    assert.equal(later.request.status, 'approved')
    assert.equal(await statusOf(later.broadcastId), 'scheduled')
    const alike = await asked(client, { at: '2036-12-01T20:00:00Z' })
    assert.equal(alike.request.status, 'approved')
    const third = await asked(client, { at: '2036-12-01T02:00:00Z' })
    assert.match(String(third.request.budgetReason), /of 50 in 24 hours 4\d are spent/)
    // The same mail to the same contact, asked for again because an answer was lost, goes out once.
    await set({ mode: 'budget', budget: { ...budget, recipientsPerDay: 90, segmentIds: null } })
    const { json: template } = await api('POST', '/templates', { name: 'Once', ...mail })
    const { json: contact } = await api('PUT', '/contacts', { email: 'once@example.com' })
    const toOne = { act: 'email', templateId: template.id, contactId: contact.id }
    const answers = await Promise.all([1, 2, 3].map(() => run(client, 'send_request', toOne)))
    answers.push(await run(client, 'send_request', toOne))
    assert.equal(new Set(answers.map(({ approvalId }) => approvalId)).size, 1)
    // At a time to come it would go out whatever became of the token until then.
    const at = new Date(Date.now() + 86_400_000).toISOString()
    const toCome = await run(client, 'send_request', { ...toOne, at })
    assert.deepEqual([toCome.status, toCome.scheduledAt === null], ['waiting-for-approval', false])
    assert.match(String(toCome.budgetReason), /at a time to come/)
    const [mails] = await instance.sql<{ n: string }>(
      `select count(*) as n from messages where destination = 'once@example.com'`,
    )
    assert.equal(mails!.n, '1')
    // A budget is no way around a person for what is open-ended, and a token that is switched off may not even ask.
    const { json: automation } = await api('POST', '/automations', { name: 'By budget', ...welcome })
    const open = await run(client, 'send_request', { act: 'automation', automationId: automation.id })
    assert.match(String(open.budgetReason), /how many people/)
    assert.equal((await set({ mode: 'off' })).status, 200)
    const off = await refusalOf(client, 'send_request', { act: 'automation', automationId: automation.id })
    assert.equal(off.code, 'missing-scope')
    assert.match(String(off.detail), /mcp:send/)
    for (const { broadcastId } of granted) await api('POST', `/broadcasts/${broadcastId}/cancel`, {})
    await client.close()
  })

  test('asking takes both scopes, and another workspace has none of it', async () => {
    const { broadcastId, id } = await asked(await connected())
    const half = await instance.makeToken(['mcp:send', 'broadcasts:read'])
    const answer = await send('POST', `${baseUrl}/api/approvals`, {
      token: half,
      json: { act: 'broadcast', broadcastId },
    })
    assert.deepEqual([answer.status, answer.json.code], [403, 'missing-scope'])
    const elsewhere = await instance.makeWorkspace('elsewhere-asking')
    const other = await site.person('Otto', 'owner', elsewhere)
    const theirs = await site.call('POST', `/site/workspaces/elsewhere-asking/approvals/${id}/approve`, {
      cookie: other.cookie,
      json: {},
    })
    assert.equal(theirs.status, 404)
    assert.equal((await decide(other.cookie, id, 'approve')).status, 404)
    const theirToken = await instance.makeToken(SCOPES as readonly Scope[], elsewhere)
    const { json: automation } = await api('POST', '/automations', { name: 'Ours', ...welcome })
    const { json: template } = await api('POST', '/templates', { name: 'Ours', ...mail })
    const { json: contact } = await api('PUT', '/contacts', { email: 'ours@example.com' })
    for (const named of [
      { act: 'broadcast', broadcastId },
      { act: 'automation', automationId: automation.id },
      { act: 'email', templateId: template.id, contactId: contact.id },
    ])
      assert.equal((await send('POST', `${baseUrl}/api/approvals`, { token: theirToken, json: named })).status, 422)
    assert.equal(await statusOf(broadcastId), 'draft')
  })
})

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
