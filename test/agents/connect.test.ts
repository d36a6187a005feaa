import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AGENT_SCOPES } from '../../server/catalogue/scopes.ts'
import { stillCoveredStatement } from '../../server/modules/approvals/budget/send-policy-queries.ts'
import { FETCHES_PER_MINUTE_MAX } from '../../server/modules/oauth/connect-pages.ts'
import { forgetSecrets } from '../../server/modules/oauth/forget-secrets.ts'
import { REQUESTS_PER_MINUTE_MAX } from '../../server/modules/oauth/oauth-routes.ts'
import { spendSecret } from '../../server/modules/oauth/spend-secret.ts'
import { makeOneTimeToken } from '../../server/platform/crypto/one-time-token.ts'
import { secretKeys } from '../../server/platform/crypto/secret-box.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { connectPage, type Fields, fieldsOf } from '../support/connect-page.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, send } from '../support/http-client.ts'
import { freePort } from '../support/instance.ts'
import { type Person, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance } from '../support/tested-instance.ts'
import { STEP_MS, totpCode, wrongCode } from '../support/totp.ts'

const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
// The address of a request is that of the test, so that none spends what another counts.
const instance = await startTestedInstance({ PORT: String(port), APP_URL: baseUrl, TRUST_PROXY: 'true' })
after(() => instance.close())
const site = siteCaller({ baseUrl, sql: instance.sql })
const ada = await site.person('Ada', 'owner')

const REDIRECT = 'http://127.0.0.1:33418/callback'
const RESOURCE = `${baseUrl}/mcp`

const form = (path: string, fields: Fields, headers: Fields = {}) =>
  send('POST', `${baseUrl}${path}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })
const register = (json: object, headers: Fields = {}) => send('POST', `${baseUrl}/oauth/register`, { json, headers })
const token = (fields: Fields) => form('/oauth/token', fields)
const atMcp = (secret: string, method = 'tools/list', params: object = {}) =>
  send('POST', RESOURCE, { token: secret, json: { jsonrpc: '2.0', id: 1, method, params } })

const { json: registered } = await register({ client_name: 'Foreigner', redirect_uris: [REDIRECT] })
const clientId = registered.client_id as string

const verifier = randomBytes(32).toString('base64url')
const question = (more: Fields = {}) => ({
  ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 'st=a te', resource: RESOURCE },
  ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  ...more,
})

const pages = connectPage(site)
const shown = (fields: Fields, person = ada) => pages.shown(fields, person)
const answerPage = (fields: Fields, person = ada) => pages.answerPage(fields, person)
const consent = (fields: Fields, person = ada, more: Fields = {}) => pages.consent(fields, person, more)

const exchange = (code: string, more: Fields = {}) =>
  token({
    ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: REDIRECT, code_verifier: verifier },
    ...{ resource: RESOURCE, ...more },
  })

async function connected(fields: Fields = {}, person = ada, more: Fields = {}) {
  const led = await consent(question(fields), person, more)
  const answer = await exchange(led.searchParams.get('code')!)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as { access_token: string; refresh_token: string; scope: string }
}
const refreshed = (secret: string, more: Fields = {}) =>
  token({ grant_type: 'refresh_token', refresh_token: secret, client_id: clientId, ...more })
const isRefused = (secret: string) =>
  eventually('the secret is refused', async () => (await atMcp(secret)).status === 401)
async function newest() {
  const { json, text } = await site.call('GET', '/site/workspaces/default/agents', { cookie: ada.cookie })
  assert.ok(json?.items, text)
  return json.items[0]
}

describe('discovery', () => {
  test('a request without a token is told where tokens are to be had, and for which scopes', async () => {
    const { status, headers } = await send('POST', RESOURCE, { json: {} })
    const challenge = String(headers['www-authenticate'])
    assert.equal(status, 401)
    const [, metadata] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    assert.match(challenge, /scope="contacts:read [^"]*mcp:send/)
    const resource = (await send('GET', metadata!)).json
    assert.deepEqual([resource.resource, resource.authorization_servers], [RESOURCE, [baseUrl]])
    const server = (await send('GET', `${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`))
      .json
    assert.equal(server.issuer, baseUrl)
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.equal(server.client_id_metadata_document_supported, true)
    const unknown = await atMcp('x'.repeat(40))
    assert.match(String(unknown.headers['www-authenticate']), /error="invalid_token", resource_metadata=/)
    const api = await send('GET', `${baseUrl}/api/contacts`)
    assert.equal(api.headers['www-authenticate'], 'Bearer realm="postroom"')
  })
})

/** The person's browser and the store of a program, for the official client. */
function foreigner(): OAuthClientProvider & { led?: URL } {
  const kept: { client?: never; tokens?: never; verifier?: string } = {}
  return {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'Foreigner 7',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    state: () => 'of the foreigner',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier!,
    async redirectToAuthorization(url) {
      assert.equal(url.origin + url.pathname, `${baseUrl}/app/connect-agent`)
      this.led = await consent(Object.fromEntries(url.searchParams), ada, { 'templates:write': '' })
    },
  } as OAuthClientProvider & { led?: URL }
}

describe('the official client', () => {
  test('registers, sends a person to agree, comes in, and goes on with a new token when its own is over', async () => {
    const provider = foreigner()
    const connect = async () => {
      const client = new Client(
        { name: 'Foreigner', version: '7' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      )
      const transport = new StreamableHTTPClientTransport(new URL(RESOURCE), { authProvider: provider })
      return { transport, client, done: client.connect(transport) }
    }
    const first = await connect()
    await assert.rejects(first.done, /unauthorized/i)
    assert.equal(provider.led?.searchParams.get('state'), 'of the foreigner')
    await first.transport.finishAuth(provider.led!.searchParams)
    const { client, done } = await connect()
    await done
    const { structuredContent } = await client.callTool({ name: 'workspace_overview', arguments: {} })
    const { workspace, token } = structuredContent as Record<string, { slug: string; name: string; scopes: string[] }>
    assert.deepEqual([workspace!.slug, token!.name], ['default', 'Foreigner 7'])
    assert.deepEqual(token!.scopes.toSorted(), AGENT_SCOPES.filter((scope) => scope !== 'templates:write').toSorted())
    const { tools } = await client.listTools()
    assert.ok(!tools.some(({ name }) => name === 'template_save'))
    const before = provider.tokens() as { access_token: string }
    await instance.sql(`update agent_secrets set expires_at = now() where kind = 'access'`)
    await isRefused(before.access_token)
    assert.equal((await client.listTools()).tools.length, tools.length)
    assert.notEqual((provider.tokens() as { access_token: string }).access_token, before.access_token)
    await client.close()
  })
})

describe('the page', () => {
  test('says who asks, from where, and for what, and leads nobody anywhere without an answer', async () => {
    const page = await shown(question({ scope: 'contacts:read mcp:send offline_access' }))
    assert.match(page.text, /Connect Foreigner\?/)
    assert.match(page.text, /nobody has checked its name/)
    assert.match(page.text, /127\.0\.0\.1:33418/)
    assert.match(page.text, /only if you have just started this yourself/)
    assert.match(String(page.headers['content-security-policy']), /form-action 'self' http:\/\/127\.0\.0\.1:33418;/)
    const given = Object.keys(fieldsOf(page)).filter((name) => name.includes(':'))
    assert.deepEqual(given, ['contacts:read', 'mcp:send'])
    const wrong: [Fields, RegExp][] = [
      [{ redirect_uri: 'http://127.0.0.1:33418/other' }, /redirect_uri/],
      [{ redirect_uri: 'https://evil.example/callback' }, /redirect_uri/],
      [{ client_id: `${clientId.slice(0, -1)}${clientId.endsWith('A') ? 'B' : 'A'}` }, /not registered/],
      [{ client_id: 'https://127.0.0.1/client.json' }, /could not be fetched/],
      [{ code_challenge_method: 'plain' }, /S256/],
      [{ code_challenge: 'short' }, /S256/],
      [{ response_type: 'token' }, /response_type/],
      [{ resource: `${baseUrl}/api` }, /resource/],
    ]
    for (const [more, words] of wrong) {
      const refused = await shown(question(more))
      assert.equal(refused.status, 400, JSON.stringify(more))
      assert.match(refused.text, words)
      assert.equal(refused.headers.location, undefined)
    }
    const otherPort = await shown(question({ redirect_uri: 'http://127.0.0.1:50999/callback' }))
    assert.equal(otherPort.status, 200)
  })

  test('fetches what an agent says of itself for people who may connect it, from public addresses, and so often a minute', async () => {
    let reached = 0
    const inside = createServer((socket) => {
      reached += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    const { port } = inside.address() as AddressInfo
    const asks = async (person: Person) =>
      (await shown(question({ client_id: `https://127.0.0.1:${port}/client.json` }), person)).status
    const viewer = await site.person('Vera', 'viewer')
    assert.equal(await asks(viewer), 403)
    const admin = await site.person('Hedda', 'admin')
    const statuses = new Set<number>()
    for (let asked = 0; asked < 2 * FETCHES_PER_MINUTE_MAX + 1; asked += 1) statuses.add(await asks(admin))
    inside.close()
    assert.deepEqual([[...statuses].sort(), reached], [[400, 429], 0])
    assert.equal((await shown(question(), admin)).status, 200, 'a client that registered here')
  })

  test('asks for a login first, and comes back to the question', async () => {
    const { status, headers } = await send('GET', `${baseUrl}/app/connect-agent?${new URLSearchParams(question())}`)
    assert.equal(status, 303)
    const next = new URL(String(headers.location), baseUrl).searchParams.get('next')!
    assert.equal(new URL(next, baseUrl).searchParams.get('client_id'), clientId)
    const login = await send('GET', `${baseUrl}${headers.location}`)
    assert.ok(login.text.includes('/app/connect-agent?'), 'the question stands in the form')
  })

  test('takes the password, a scope that was asked for, and a person who may make tokens', async () => {
    const page = fieldsOf(await shown(question({ scope: 'contacts:read' })))
    const agree = { ...page, answer: 'connect', password: ada.password }
    const wrong = await answerPage({ ...agree, password: 'wrong' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /password is not yours/)
    const { 'contacts:read': _, ...nothing } = agree as Fields
    assert.equal((await answerPage(nothing)).status, 400)
    assert.equal((await answerPage({ ...agree, 'contacts:write': 'on' })).status, 400)
    const bob = await site.person('Bob', 'member')
    assert.equal((await shown(question(), bob)).status, 403)
    assert.equal((await answerPage({ ...agree, password: bob.password }, bob)).status, 400, 'not shown to Bob')
    const elsewhere = await instance.makeWorkspace('elsewhere')
    assert.equal((await answerPage({ ...agree, workspace: 'elsewhere' })).status, 404, elsewhere)
    const foreign = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }
    const body = new URLSearchParams(agree).toString()
    const crossSite = await site.call('POST', '/app/connect-agent', { cookie: ada.cookie, headers: foreign, body })
    assert.equal(crossSite.status, 403)
  })

  test('takes a code of whoever has a second factor, and their password no more', async () => {
    const person = await site.person('Mona', 'admin')
    const { cookie, password } = person
    const factor = async (path: string, json: object) =>
      (await site.call('POST', `/site/auth/second-factor/${path}`, { cookie, json })).json
    const before = fieldsOf(await shown(question(), person))
    const { secret } = await factor('enrol', { currentPassword: password })
    const { recoveryCodes } = await factor('confirm', { code: totpCode(secret) })
    const byPassword = await answerPage({ ...before, answer: 'connect', password }, person)
    assert.equal(byPassword.status, 400, 'a page that was shown before')
    const page = fieldsOf(await shown(question(), person))
    assert.deepEqual(['code' in page, 'password' in page], [true, false])
    const wrong = await answerPage({ ...page, answer: 'connect', code: wrongCode(secret) }, person)
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /The code is wrong or was used\./)
    const code = String(recoveryCodes[0]).toLowerCase()
    await connected({}, person, { code })
    const again = fieldsOf(await shown(question(), person))
    assert.equal((await answerPage({ ...again, answer: 'connect', code }, person)).status, 400, 'once')
  })

  test('leads back with the refusal of a person, and makes nothing', async () => {
    const [before] = await instance.sql('select count(*) from agent_grants')
    const page = fieldsOf(await shown(question()))
    const { headers } = await answerPage({ ...page, answer: 'refuse' })
    const led = new URL(String(headers.location))
    assert.equal(`${led.origin}${led.pathname}`, REDIRECT)
    const { error, state, iss } = Object.fromEntries(led.searchParams)
    assert.deepEqual([error, state, iss], ['access_denied', 'st=a te', baseUrl])
    assert.deepEqual((await instance.sql('select count(*) from agent_grants'))[0], before)
  })
})

describe('codes', () => {
  test('are for the client, the redirect and the verifier that they were asked with', async () => {
    const code = (await consent(question())).searchParams.get('code')!
    const other = (await register({ client_name: 'Other', redirect_uris: [REDIRECT] })).json.client_id
    const wrong: [Fields, string][] = [
      [{ code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ resource: `${baseUrl}/api` }, 'invalid_target'],
      [{ code_verifier: '' }, 'invalid_request'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
    ]
    for (const [more, error] of wrong) {
      const { status, json } = await exchange(code, more)
      assert.deepEqual([status, json.error], [400, error], JSON.stringify(more))
    }
    assert.equal((await exchange(code)).status, 200)
  })

  test('work once: shown again, what came of them ends', async () => {
    const code = (await consent(question())).searchParams.get('code')!
    const both = await Promise.all([exchange(code), exchange(code)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
    await isRefused(both.find(({ status }) => status === 200)!.json.access_token)
  })

  test('are over after a minute, and what nobody fetched is forgotten', async () => {
    const code = (await consent(question())).searchParams.get('code')!
    const [{ seconds }] = (await instance.sql<{ seconds: number }>(
      `select extract(epoch from expires_at - now())::int as seconds from agent_secrets where kind = 'code' and used_at is null
       order by expires_at desc limit 1`,
    )) as [{ seconds: number }]
    assert.ok(seconds <= 60, `${seconds} s`)
    await instance.sql(
      `update agent_secrets set expires_at = now() - interval '2 hours' where kind = 'code' and used_at is null`,
    )
    assert.equal((await exchange(code)).json.error, 'invalid_grant')
    await instance.sql(`update api_tokens t set expires_at = now() - interval '2 hours' from agent_grants g
      where g.token_id = t.id and g.connected_at is null`)
    const sql = createPool({ name: 'sql', url: instance.database.url, max: 1 })
    await forgetSecrets({ sql })
    await sql.end()
    const left = await instance.sql('select from agent_grants where connected_at is null')
    assert.equal(left.length, 0)
  })
})

describe('tokens', () => {
  test('are good at /mcp alone, within their scopes and what their person may do', async () => {
    const eve = await site.person('Eve', 'admin')
    const { access_token: access, scope } = await connected({ scope: 'contacts:read contacts:write' }, eve)
    assert.equal(scope, 'contacts:read contacts:write')
    assert.equal((await send('GET', `${baseUrl}/api/contacts`, { token: access })).status, 401)
    const namesOf = async () => {
      const { json } = await atMcp(access)
      return (json.result.tools as { name: string }[]).map(({ name }) => name)
    }
    const names = await namesOf()
    assert.ok(names.includes('contact_upsert') && !names.includes('broadcast_draft'), String(names))
    await instance.sql(`update memberships set role = 'viewer' where user_id = $1`, [eve.id])
    await eventually('a viewer has no agent that writes', async () => !(await namesOf()).includes('contact_upsert'))
    await instance.sql('delete from memberships where user_id = $1', [eve.id])
    await isRefused(access)
  })

  test('change no template that is there: a program may send by it', async () => {
    const { access_token: access } = await connected({ scope: 'templates:read templates:write emails:send' })
    const names = ((await atMcp(access)).json.result.tools as { name: string }[]).map(({ name }) => name)
    assert.deepEqual([names.includes('template_save'), names.includes('template_change')], [true, false])
    const call = async (name: string, input: object) =>
      JSON.stringify((await atMcp(access, 'tools/call', { name, arguments: input })).json)
    assert.match(
      await call('template_change', { templateId: '1', subject: 'Other' }),
      /There is no tool template_change/,
    )
    for (const operationId of ['Templates_delete', 'Templates_create', 'Templates_update', 'Templates_restore'])
      assert.match(await call('api_call', { operationId, dryRun: false }), /not-found/)
  })

  test('are given again for half a minute, to the same client, where the answer was lost', async () => {
    const first = await connected()
    const second = (await refreshed(first.refresh_token)).json
    const again = await refreshed(first.refresh_token)
    assert.deepEqual([again.status, again.json.access_token], [200, second.access_token])
    assert.equal(again.json.refresh_token, second.refresh_token)
    assert.ok(again.json.expires_in <= 3_600 && again.json.expires_in >= 3_570)
    assert.equal((await atMcp(second.access_token)).status, 200)
    // Later than that it is somebody else, who has kept it.
    await instance.sql(`update agent_secrets set used_at = used_at - interval '31 seconds' where used_at is not null`)
    assert.equal((await refreshed(first.refresh_token)).json.error, 'invalid_grant')
    await isRefused(second.access_token)

    const other = await connected()
    await refreshed(other.refresh_token)
    assert.equal((await refreshed(other.refresh_token, { client_id: 'pac_other' })).json.error, 'invalid_grant')
    assert.equal((await refreshed(other.refresh_token)).json.error, 'invalid_grant', 'another client ends it')
  })

  test('are given again where the encryption key was rotated since the answer was lost', async () => {
    const pool = createPool({ name: 'sql', url: instance.database.url, max: 1 })
    const key = (id: string) => ({ id, key: Buffer.alloc(32, id) })
    const { refresh_token: secret } = await connected()
    const shown = { kind: 'refresh', secret, clientId } as const
    const lost = await spendSecret({ sql: pool, keys: secretKeys([key('a')]) }, shown)
    const again = await spendSecret({ sql: pool, keys: secretKeys([key('b'), key('a')]) }, shown)
    await pool.end()
    assert.ok(lost.outcome === 'given' && again.outcome === 'given')
    assert.deepEqual([again.access, again.refresh], [lost.access, lost.refresh])
    assert.equal((await atMcp(again.access)).status, 200)
  })

  test('are renewed once each: a refresh token that is shown again ends the whole connection', async () => {
    const first = await connected()
    const second = (await refreshed(first.refresh_token)).json
    assert.equal((await atMcp(second.access_token)).status, 200)
    assert.equal((await refreshed(second.refresh_token, { client_id: 'pac_other' })).json.error, 'invalid_grant')
    assert.equal((await refreshed(second.access_token)).json.error, 'invalid_grant')
    const third = (await refreshed(second.refresh_token)).json
    const again = await refreshed(first.refresh_token)
    assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
    for (const { access_token: access } of [second, third]) await isRefused(access)
    assert.equal((await refreshed(third.refresh_token)).json.error, 'invalid_grant')
    const [entry] = await instance.sql<{ diff: object }>(
      `select diff from audit_entries where action = 'agent.disconnect' order by id desc limit 1`,
    )
    assert.deepEqual(entry!.diff, { reason: { from: null, to: 'refresh_used_twice' } })
  })

  test('end with the membership of their person, whichever way it ends, and stay ended when the person comes back', async () => {
    const gone: [name: string, leave: (person: Person) => Promise<Answer>][] = [
      ['Frida', ({ id }) => site.call('DELETE', `/site/workspaces/default/members/${id}`, { cookie: ada.cookie })],
      ['Grete', ({ cookie }) => site.call('POST', '/site/workspaces/default/leave', { cookie })],
    ]
    const stays = await connected()
    for (const [name, leave] of gone) {
      const person = await site.person(name, 'admin')
      const { access_token: access, refresh_token: refresh } = await connected({}, person)
      const { id } = await newest()
      const left = await leave(person)
      assert.equal(left.status, 204, left.text)
      await instance.sql(`insert into memberships (workspace_id, user_id, role) values (1, $1, 'admin')`, [person.id])
      assert.equal((await refreshed(refresh)).json.error, 'invalid_grant', name)
      await isRefused(access)
      const entries = await instance.sql(
        `select diff from audit_entries where action = 'agent.disconnect' and target_id = $1`,
        [id],
      )
      assert.deepEqual(entries, [{ diff: { reason: { from: null, to: 'person_left' } } }])
    }
    assert.equal((await atMcp(stays.access_token)).status, 200, 'an agent of somebody else')
  })

  test('end with the password of their person, whether it is changed or forgotten', async () => {
    const ways: [name: string, renew: (person: Person) => Promise<Answer>][] = [
      [
        'Irma',
        ({ cookie, password }) =>
          site.call('POST', '/site/auth/password', {
            cookie,
            json: { currentPassword: password, newPassword: 'another one of hers' },
          }),
      ],
      [
        'Jule',
        async ({ id }) => {
          const { token, hash } = makeOneTimeToken()
          await instance.sql(
            `insert into password_resets (id, email, user_id, token_hash, issued_at, expires_at)
             select gen_random_uuid(), email, id, $2, now(), now() + interval '1 hour' from users where id = $1`,
            [id, hash],
          )
          return site.call('POST', `/site/auth/password-reset/${token}`, { json: { password: 'another one of hers' } })
        },
      ],
    ]
    const stays = await connected()
    for (const [name, renew] of ways) {
      const person = await site.person(name, 'admin')
      await endsBy(person, { renew: () => renew(person), actorId: person.id, reason: 'password_changed' })
    }
    assert.equal((await atMcp(stays.access_token)).status, 200, 'an agent of somebody else')
  })

  type End = { code?: string; renew: () => Promise<Answer>; actorId: string; reason: string }

  /** Connects an agent of a person, which has ended by what happens then. */
  async function endsBy(person: Person, { code, renew, actorId, reason }: End) {
    const { access_token: access, refresh_token: refresh } = await connected({}, person, code ? { code } : {})
    const { id } = await newest()
    const renewed = await renew()
    assert.equal(renewed.status, 204, renewed.text)
    assert.equal((await refreshed(refresh)).json.error, 'invalid_grant', reason)
    await isRefused(access)
    const entries = await instance.sql(
      `select actor_id, diff from audit_entries where action = 'agent.disconnect' and target_id = $1`,
      [id],
    )
    assert.deepEqual(entries, [{ actor_id: actorId, diff: { reason: { from: null, to: reason } } }])
  }

  test('outlive the setup of a second factor, and end when it is reset by somebody else or by a recovery code', async () => {
    const owner = await site.person('Olga', 'owner')
    const reason = 'second_factor_reset'
    for (const [name, isByOwner] of [
      ['Kaja', true],
      ['Lore', false],
    ] as const) {
      const person = await site.person(name, 'admin')
      const { cookie, password: currentPassword } = person
      const before = await connected({}, person)
      const factor = (path: string, json: object) =>
        site.call('POST', `/site/auth/second-factor/${path}`, { cookie, json })
      const { secret } = (await factor('enrol', { currentPassword })).json
      const { recoveryCodes } = (await factor('confirm', { code: totpCode(secret) })).json
      assert.equal((await atMcp(before.access_token)).status, 200, 'a setup ends no agent')
      await endsBy(person, {
        code: isByOwner ? totpCode(secret, Date.now() + STEP_MS) : recoveryCodes[1],
        renew: () =>
          isByOwner
            ? site.call('DELETE', `/site/workspaces/default/members/${person.id}/second-factor`, {
                cookie: owner.cookie,
              })
            : factor('disable', { currentPassword, recoveryCode: recoveryCodes[0] }),
        actorId: isByOwner ? owner.id : person.id,
        reason,
      })
      await isRefused(before.access_token)
    }
  })

  test('are given back by their client, and by no other', async () => {
    const { access_token: access, refresh_token: refresh } = await connected()
    assert.equal((await form('/oauth/revoke', { token: refresh, client_id: 'pac_other' })).json.error, 'invalid_client')
    assert.equal((await atMcp(access)).status, 200)
    assert.equal((await form('/oauth/revoke', { token: refresh, client_id: clientId })).status, 200)
    await isRefused(access)
    assert.equal((await form('/oauth/revoke', { token: 'por_unknown', client_id: clientId })).status, 200)
  })

  test('are stored as hashes alone', async () => {
    const pair = await connected()
    const rows = await instance.sql<{ row: string }>(
      'select s::text as row from agent_secrets s union all select t::text from api_tokens t union all select g::text from agent_grants g',
    )
    const stored = rows.map(({ row }) => row).join('\n')
    for (const secret of [pair.access_token, pair.refresh_token]) {
      assert.ok(!stored.includes(secret.slice(4, 40)))
      assert.ok(stored.includes(createHash('sha256').update(secret).digest('hex')))
    }
  })
})

describe('people', () => {
  const agentsOf = (path = '', method = 'GET') =>
    site.call(method, `/site/workspaces/default/agents${path}`, { cookie: ada.cookie })

  test('see which agents are connected, and disconnect one', async () => {
    const { access_token: access } = await connected({ scope: 'contacts:read' })
    const agent = await newest()
    assert.deepEqual([agent.name, agent.clientHost, agent.redirectHost], ['Foreigner', null, '127.0.0.1:33418'])
    assert.deepEqual([agent.scopes, agent.connectedBy], [['contacts:read'], { id: ada.id, name: 'Ada' }])
    const tokens = await site.call('GET', '/site/workspaces/default/tokens?pageSize=100', { cookie: ada.cookie })
    assert.ok(!tokens.json.items.some(({ id }: { id: string }) => id === agent.id), 'it is no token of the list')
    const policy = await site.call('GET', `/site/workspaces/default/tokens/${agent.id}/send-policy`, {
      cookie: ada.cookie,
    })
    assert.equal(policy.json.mode, 'approve')
    assert.equal((await agentsOf(`/${agent.id}`, 'DELETE')).status, 204)
    await isRefused(access)
    assert.ok((await newest()).disconnectedAt)
    assert.equal((await agentsOf(`/${agent.id}`, 'DELETE')).status, 204, 'again')
    assert.equal((await agentsOf('/999999', 'DELETE')).status, 404)
    const entries = await instance.sql<{ action: string; actor_kind: string }>(
      `select action, actor_kind from audit_entries where target_type = 'agent' and target_id = $1 order by id`,
      [agent.id],
    )
    assert.deepEqual(entries, [
      { action: 'agent.connect', actor_kind: 'user' },
      { action: 'agent.disconnect', actor_kind: 'user' },
    ])
  })

  test('decide on what a connected agent asks for, or whether it may ask at all', async () => {
    const { access_token: access } = await connected()
    const { id } = await newest()
    const api = (path: string, json: object) => send('POST', `${baseUrl}/api${path}`, { token: instance.token, json })
    const config = { kind: 'smtp', host: '127.0.0.1', port: 1, from: 'news@agents.example' }
    assert.equal((await api('/integrations', { name: 'Relay', config })).status, 201)
    const body = '<p>Welcome. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
    const steps = [{ type: 'email', subject: 'Welcome', body }]
    const automation = await api('/automations', { name: 'Welcome', triggerEvent: 'joined', steps })
    assert.equal(automation.status, 201, automation.text)
    const input = { act: 'automation', automationId: automation.json.id }
    const ask = async () => (await atMcp(access, 'tools/call', { name: 'send_request', arguments: input })).json.result
    const { structuredContent: asked, content } = await ask()
    assert.equal(asked?.status, 'waiting-for-approval', JSON.stringify(content))
    const approval = await site.call('GET', `/site/workspaces/default/approvals/${asked.approvalId}`, {
      cookie: ada.cookie,
    })
    assert.deepEqual([approval.json.askedBy.tokenId, approval.json.askedBy.tokenName], [id, 'Foreigner'])
    const path = `/site/workspaces/default/tokens/${id}/send-policy`
    const off = await site.call('PUT', path, { cookie: ada.cookie, json: { mode: 'off' } })
    assert.equal(off.status, 200, off.text)
    assert.match(JSON.stringify(await ask()), /missing-scope/)
  })

  test('who are kept out for want of a second factor have no agent that goes in', async () => {
    const { access_token: access, refresh_token: refresh } = await connected()
    const demand = (asked: boolean) =>
      instance.sql('update workspaces set require_second_factor = $1 where id = 1', [asked])
    await demand(true)
    try {
      await isRefused(access)
      assert.equal((await refreshed(refresh)).json.error, 'invalid_grant')
      await instance.sql(
        `insert into second_factors (user_id, secret, confirmed_at) values ($1, 'of the test', now())`,
        [ada.id],
      )
      assert.equal((await refreshed(refresh)).status, 200, 'with a factor of their own they are back')
    } finally {
      await demand(false)
      await instance.sql('delete from second_factors where user_id = $1', [ada.id])
    }
  })

  test('who leave or may not send any more take the budgets of their agents along', async () => {
    const finn = await site.person('Finn', 'admin')
    await connected({}, finn)
    const { id } = await newest()
    const budget = { recipientsPerSend: 30, recipientsPerDay: 50, sendsPerDay: 9 }
    const json = { mode: 'budget', budget }
    const path = `/site/workspaces/default/tokens/${id}/send-policy`
    assert.equal((await site.call('PUT', path, { cookie: ada.cookie, json })).status, 200)
    const sql = createPool({ name: 'sql', url: instance.database.url, max: 1 })
    const covered = async () =>
      (await queryInScope(sql, '1', stillCoveredStatement({ workspaceId: '1', tokenId: id }, 30))).length
    assert.equal(await covered(), 1)
    const become = (role: string) =>
      instance.sql('update memberships set role = $2 where user_id = $1', [finn.id, role])
    await become('member')
    assert.equal(await covered(), 0, 'a member sends by no agent')
    await become('owner')
    assert.equal(await covered(), 1)
    await instance.sql('delete from memberships where user_id = $1', [finn.id])
    assert.equal(await covered().finally(() => sql.end()), 0)
  })
})

describe('strangers', () => {
  test('register clients that are fit to be led back to, and no others', async () => {
    const bad: [object, string][] = [
      [{}, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://agents.example.com/'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: [REDIRECT], grant_types: ['password'] }, 'invalid_client_metadata'],
    ]
    for (const [json, error] of bad) {
      const { status, json: answer } = await register(json)
      assert.deepEqual([status, answer.error], [400, error], JSON.stringify(json))
    }
    const named = await register({
      client_name: '<b>Cla\u200bude</b>\u0007',
      redirect_uris: [REDIRECT],
      client_secret: 'x',
    })
    assert.equal(named.status, 201)
    assert.deepEqual([named.json.token_endpoint_auth_method, named.json.client_secret], ['none', undefined])
    const page = await shown(question({ client_id: named.json.client_id }))
    assert.ok(page.text.includes('Connect &lt;b&gt;Claude&lt;/b&gt;?'), page.text)
  })

  test('are held to a number of requests a minute', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const statuses = new Set<number>()
    for (let asked = 0; asked < 2 * REQUESTS_PER_MINUTE_MAX + 2; asked += 1)
      statuses.add((await register({}, headers)).status)
    assert.deepEqual([...statuses].sort(), [400, 429])
  })
})
