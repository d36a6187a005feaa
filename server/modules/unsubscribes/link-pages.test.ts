import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { visitsOf } from '../../../test/support/mail-visits.ts'
import { pressOnPage } from '../../../test/support/press-on-page.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { REFUSAL, type SendingSource } from '../sending/ledger/refusal.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { createMessageLinks } from '../tracking/message-links.ts'
import { unsubscribeLinkRoutes } from './link-pages.ts'

const { pool, caller, workspaceId } = await testWorkspace()
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
await keys.ready()
const app = quietServer({ trustProxy: true, https: true })
unsubscribeLinkRoutes(app, { sql: pool, keys })
await app.ready()
after(() => app.close())

const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const maker = createMessageLinks({ keys, baseUrl: new URL('https://mail.example.com/') })
const path = (url: string) => new URL(url).pathname

let people = 0
/** Somebody who got a message of broadcast 9, and the paths of its links. */
async function recipient(
  sendingSource: SendingSource = 'broadcasts',
  known?: { contactId: string; destination: string },
) {
  const email = known?.destination ?? `p${++people}@example.com`
  const contact = known ? { id: known.contactId } : await createContact({ sql: pool }, caller, { email })
  const [row] = await query<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, settled_at)
      values ($1, 'marketing', 'broadcast', 9, $2, $3, 'accepted', now()) returning id`,
    [contact.id, email],
  )
  const message = { workspaceId, messageId: row!.id, contactId: contact.id, destination: email, sendingSource }
  const links = maker.of(message)
  return { ...message, unsubscribe: path(links.unsubscribeUrl), preferences: path(links.preferencesUrl) }
}
const gone = async (destination: string) => {
  const rows = await query<{ source: string }>(
    'select sending_source as source from unsubscribes where workspace_id = $1 and destination = $2 order by 1',
    [destination],
  )
  return rows.map(({ source }) => source)
}
const told = async () => {
  const rows = await query<{ data: string }>(
    `delete from outbox where workspace_id = $1 and name = 'email.unsubscribed' returning data`,
  )
  return rows.map(({ data }) => JSON.parse(data))
}
const form = (body: string) => ({ payload: body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
const ONE_CLICK = 'List-Unsubscribe=One-Click'
const MULTIPART = `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`

test('pages carry the name, language, logo and colour of the workspace, and never that it has no name', async () => {
  const ada = await recipient()
  const get = async (url: string) => app.inject({ method: 'GET', url })
  const set = (change: string) => query(`update workspaces set ${change} where id = $1`)
  await set(`name = 'Default'`)
  await query(`insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, from_name, host,
      port, tls) values ($1, 'r', 'email', 'smtp', true, true, 'hi@shop.example', null, '127.0.0.1', 1, 'none')`)
  const plain = await get(ada.preferences)
  assert.match(plain.body, /From <strong>shop\.example<\/strong> to /)
  assert.doesNotMatch(plain.body, /Default/)
  await set(`name = 'Ada & Söhne', language = 'de', color = '#ffee00', logo_url = 'https://cdn.example/logo.png'`)
  for (const url of [ada.preferences, ada.unsubscribe]) {
    const page = await get(url)
    assert.match(page.body, /<html lang="de">/)
    assert.match(page.body, /<img src="https:\/\/cdn\.example\/logo\.png" alt="Ada &amp; Söhne"/)
    assert.match(page.body, /--accent:#ffee00;--on-accent:#000000/)
    assert.match(String(page.headers['content-security-policy']), /img-src data: https:\/\/cdn\.example;/)
  }
  const out = await app.inject({ method: 'POST', url: ada.unsubscribe })
  assert.match(out.body, /<h1>Abgemeldet<\/h1><p><strong>Ada &amp; Söhne<\/strong> schickt an <span class="whole">p/)
  const forged = await app.inject({ method: 'GET', url: '/e/u/x', headers: { 'accept-language': 'sv' } })
  assert.match(forged.body, /Länken fungerar inte/)
  await told()
  await set(`name = 'Workspace', language = 'en', color = null, logo_url = null`)
})

test('a one-click POST unsubscribes at once, however it is written, without cookies and without a redirect', async () => {
  const bodies = [
    form(ONE_CLICK),
    { payload: MULTIPART, headers: { 'content-type': 'multipart/form-data; boundary=b' } },
    { payload: ONE_CLICK, headers: { 'content-type': 'text/plain' } },
    { payload: ONE_CLICK },
    {},
  ]
  for (const body of bodies) {
    const ada = await recipient()
    const answer = await app.inject({ method: 'POST', url: ada.unsubscribe, ...body })
    assert.equal(answer.statusCode, 200, JSON.stringify(body))
    assert.equal(answer.headers.location, undefined)
    assert.equal(answer.headers['set-cookie'], undefined)
    assert.deepEqual(await gone(ada.destination), ['broadcasts'])
    const [marked] = await query(
      'select unsubscribed_at is not null as out from messages where workspace_id = $1 and id = $2',
      [ada.messageId],
    )
    assert.deepEqual(marked, { out: true })
    assert.deepEqual(await told(), [
      {
        workspaceId: Number(workspaceId),
        contactId: Number(ada.contactId),
        email: ada.destination,
        messageId: Number(ada.messageId),
        purpose: 'marketing',
        surface: 'broadcast',
        broadcastId: 9,
        sendingSource: 'broadcasts',
      },
    ])
  }
})

test('the same POST again, also at the same moment, changes nothing more', async () => {
  const ada = await recipient()
  const post = () => app.inject({ method: 'POST', url: ada.unsubscribe, ...form(ONE_CLICK) })
  const answers = await Promise.all([post(), post(), post(), post()])
  for (const { statusCode } of [...answers, await post()]) assert.equal(statusCode, 200)
  assert.equal((await told()).length, 1)
  assert.deepEqual(await gone(ada.destination), ['broadcasts'])
})

/** The long form is VISITS=10000. */
const LOOKS = Number(process.env.VISITS ?? 2_000)

test('looking unsubscribes nobody, however many scanners look at the links of however many mails', async () => {
  const seed = seedFrom('VISITS_SEED')
  console.log(`VISITS_SEED=${seed}`)
  const random = seededRandom(seed)
  const recipients = await Promise.all(Array.from({ length: 20 }, () => recipient()))
  let looks = 0
  for (let nth = 0; looks < LOOKS; nth++) {
    const { unsubscribe, preferences } = recipients[nth % recipients.length]!
    const answers = await Promise.all(
      visitsOf('machines', nth, random).map(({ method, headers }) => {
        looks += 1
        return app.inject({
          method,
          url: looks % 2 === 0 ? unsubscribe : preferences,
          headers: { ...headers } as Record<string, string>,
        })
      }),
    )
    for (const { statusCode } of answers) assert.equal(statusCode, 200)
  }
  for (const { destination } of recipients) assert.deepEqual(await gone(destination), [])
  assert.deepEqual(await told(), [])
})

test('who looks sees a page that works without a script, with a button, and no more of the address than its owner needs', async () => {
  const ada = await recipient()
  const { body, headers } = await app.inject({ url: ada.unsubscribe })
  assert.match(body, /<form class="stack" method="post"><button name="page" value="yes">Unsubscribe<\/button>/)
  assert.ok(!body.includes(ada.destination))
  assert.ok(!body.includes('<script'))
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*form-action 'self'/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match((await pressOnPage(app, { url: ada.unsubscribe, ...form('page=yes') })).body, /You are unsubscribed/)
  assert.match((await app.inject({ url: ada.unsubscribe })).body, /You are unsubscribed/)
})

test('a name of a workspace cannot put markup into the page', async () => {
  await pool.query('update workspaces set name = $2 where id = $1', [workspaceId, '<img src=x onerror=alert(1)>'])
  const ada = await recipient()
  for (const url of [ada.unsubscribe, ada.preferences]) {
    const { body } = await app.inject({ url })
    assert.ok(!body.includes('<img'))
    assert.ok(body.includes('&lt;img'))
  }
})

test('who chooses on the preference page gets that from then on, and what was taken back is proven consent', async () => {
  const ada = await recipient('automation:7')
  const save = (body: string) => pressOnPage(app, { url: ada.preferences, ...form(body) })
  await save('automation%3A7=on')
  assert.deepEqual(await gone(ada.destination), ['automations', 'broadcasts'])
  await save('nothing=yes')
  assert.deepEqual(await gone(ada.destination), ['automations', 'broadcasts', 'everything'])
  assert.ok(!(await app.inject({ url: ada.preferences })).body.includes(' checked'))
  await save('broadcasts=on&automation%3A7=on&automation%3A8=on&everything=on')
  assert.deepEqual(await gone(ada.destination), ['automations'])
  assert.equal((await app.inject({ url: ada.preferences })).body.split(' checked').length, 3)
  const changes = await query(
    `select change, sending_source as source, by_whom as "by" from consent_changes where workspace_id = $1 and contact_id = $2 order by id`,
    [ada.contactId],
  )
  assert.deepEqual(
    changes.map((row) => Object.values(row).join(' ')),
    [
      'unsubscribed broadcasts person',
      'unsubscribed automations person',
      'unsubscribed  person',
      'resubscribed broadcasts person',
      'resubscribed  person',
      'confirmed  person',
    ],
  )
  const [consent] = await query('select provenance from contact_consents where workspace_id = $1 and contact_id = $2', [
    ada.contactId,
  ])
  assert.deepEqual(consent, { provenance: 'double_opt_in' })
  await save('nothing=yes')
  assert.deepEqual(
    await query('select from contact_consents where workspace_id = $1 and contact_id = $2', [ada.contactId]),
    [],
  )
})

test('an empty choice is none of what the link offers', async () => {
  const ada = await recipient()
  await pressOnPage(app, { url: ada.preferences, ...form('') })
  assert.deepEqual(await gone(ada.destination), ['automations', 'broadcasts'])
})

/** Why the mail of automations 7, 8 and one made later would not go to somebody; null: it would. */
const ofSeries = async ({ contactId, destination }: { contactId: string; destination: string }) => {
  const rows = await query<{ refusal: string | null }>(
    `select ${REFUSAL} as refusal from unnest(array[7, 8, 99]) with ordinality a(id, n) cross join lateral (
       select $1::bigint as workspace_id, 'marketing' as purpose, 'automation' as source_kind, a.id::bigint as source_id,
         null::bigint as topic_id, $2::bigint as contact_id, $3::text as destination) m order by n`,
    [contactId, destination],
  )
  return rows.map(({ refusal }) => refusal?.split(':')[1] ?? null)
}

test('a tick is a yes to its own line: who had left everything gets no automated series by choosing newsletters', async () => {
  const ada = await recipient()
  const save = (body: string) => pressOnPage(app, { url: ada.preferences, ...form(body) })
  await save('nothing=yes')
  const page = await save('broadcasts=on')
  assert.match(page.body, /role="status">Saved/)
  assert.doesNotMatch((await app.inject({ url: ada.preferences })).body, /role="status"/)
  assert.match(page.body, /name="broadcasts" checked>[\s\S]*name="automations">\s*<span>Automated series</)
  assert.deepEqual(await gone(ada.destination), ['automations'])
  const no = 'unsubscribed_source'
  assert.deepEqual(await ofSeries(ada), [no, no, no])
  await save('broadcasts=on&automations=on')
  assert.deepEqual(await gone(ada.destination), [])
  assert.deepEqual(await ofSeries(ada), [null, null, null])
})

test('who leaves one series leaves it until they say yes to it, whatever else they choose', async () => {
  const ada = await recipient()
  const seven = await recipient('automation:7', ada)
  await app.inject({ method: 'POST', url: seven.unsubscribe, ...form(ONE_CLICK) })
  const save = (body: string, url = ada.preferences) => pressOnPage(app, { url, ...form(body) })
  for (const body of [
    'nothing=yes',
    'broadcasts=on',
    'broadcasts=on&automations=on',
    'automations=on&automation%3A7=on',
  ])
    await save(body)
  const no = 'unsubscribed_source'
  assert.deepEqual(await ofSeries(ada), [no, null, null])
  const page = await save('automation%3A7=on', seven.preferences)
  assert.match(page.body, /name="automation:7" checked>[\s\S]*name="automations">\s*<span>Other automated series</)
  assert.deepEqual(await ofSeries(ada), [null, no, no])
  const [event] = (await told()).slice(-1)
  assert.deepEqual([event.sendingSource, event.except], ['automations', 'automation:7'])
  await save('nothing=yes')
  await save('broadcasts=on')
  assert.deepEqual(await ofSeries(ada), [no, no, no], 'leaving everything ends the yes to one')
})

test('the link works when the message and the contact are no more', async () => {
  const ada = await recipient()
  await told()
  await query('delete from messages where workspace_id = $1 and id = $2', [ada.messageId])
  await query('delete from contacts where workspace_id = $1 and id = $2', [ada.contactId])
  assert.equal((await app.inject({ method: 'POST', url: ada.unsubscribe })).statusCode, 200)
  assert.deepEqual(await gone(ada.destination), ['broadcasts'])
  assert.deepEqual(await told(), [
    { workspaceId: Number(workspaceId), email: ada.destination, sendingSource: 'broadcasts' },
  ])
})

test('a forged link shows and does nothing', async () => {
  const ada = await recipient()
  const token = ada.unsubscribe.split('/').at(-1)!
  const forged = [
    `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    `${token}AAAA`,
    token.slice(4),
    'x',
    'A'.repeat(120),
  ]
  for (const each of forged) {
    for (const kind of ['u', 'p']) {
      for (const method of ['GET', 'POST'] as const) {
        assert.equal(
          (await app.inject({ method, url: `/e/${kind}/${each}` })).statusCode,
          404,
          `${method} ${kind} ${each}`,
        )
      }
    }
  }
  assert.deepEqual(await gone(ada.destination), [])
})

test('while the database is away the answer is 503, so that the mail program tries again', async (t) => {
  const ada = await recipient()
  const away = t.mock.method(pool, 'connect', () =>
    Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  )
  const answer = await app.inject({ method: 'POST', url: ada.unsubscribe, ...form(ONE_CLICK) })
  assert.equal(answer.statusCode, 503)
  assert.ok(answer.headers['retry-after'])
  assert.match(answer.body, /try again/)
  away.mock.restore()
  assert.deepEqual(await gone(ada.destination), [])
})
