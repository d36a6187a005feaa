import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createLinkKeys } from './link-keys.ts'
import { linkRoutes } from './link-routes.ts'
import { createMessageLinks } from './message-links.ts'
import { createHitRecorder } from './record-hits.ts'

const { pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default'])
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
const errors: unknown[] = []
const hits = createHitRecorder({
  sql: pool,
  onLost: () => assert.fail('a hit was lost'),
  onError: (error) => errors.push(error),
})
const app = quietServer({ trustProxy: true, https: true })
linkRoutes(app, { keys, hits, addressOf: async ({ url }) => url })
await app.ready()
after(async () => {
  await app.close()
  await hits.stop()
})
await keys.ready()

const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
  text: `insert into messages (workspace_id, purpose, source_kind, destination)
    values ($1, 'transactional', 'email', 'a@example.com') returning id`,
  values: [workspaceId],
})
const links = createMessageLinks({ keys, baseUrl: new URL('https://mail.example.com/') }).of({
  workspaceId,
  messageId: row!.id,
  contactId: null,
  destination: 'a@example.com',
  sendingSource: 'broadcasts',
})
const pathOf = (url: string) => new URL(url).pathname
type StoredHit = { kind: string; link: number | null; ip: string | null; agent: string; signals: string[] }
async function stored(count: number): Promise<StoredHit[]> {
  const rows = await queryInScope<StoredHit>(pool, workspaceId, {
    text: `select kind, link, host(ip) as ip, user_agent as agent, signals from message_hits
      where workspace_id = $1 order by id`,
    values: [workspaceId],
  })
  assert.equal(rows.length, count)
  return rows
}
const clear = () =>
  queryInScope(pool, workspaceId, { text: 'delete from message_hits where workspace_id = $1', values: [workspaceId] })

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

test('a click leads to where the mail said and is noted with who made it before it is answered', async () => {
  const url = links.clickUrl('https://shop.example/straße?a=1&b=%20x#top', 4)
  const headers = {
    'user-agent': FIREFOX,
    accept: 'text/html',
    'accept-language': 'de',
    'x-forwarded-for': '203.0.113.9',
  }
  const answer = await app.inject({ url: pathOf(url), headers })
  assert.equal(answer.statusCode, 302)
  assert.equal(answer.headers.location, 'https://shop.example/stra%C3%9Fe?a=1&b=%20x#top')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const head = await app.inject({ method: 'HEAD', url: pathOf(url), headers: { 'x-forwarded-for': 'unknown' } })
  assert.equal(head.statusCode, 302)
  assert.deepEqual(await stored(2), [
    { kind: 'click', link: 4, ip: '203.0.113.9', agent: FIREFOX, signals: ['bare'] },
    { kind: 'click', link: 4, ip: null, agent: 'lightMyRequest', signals: ['head', 'agent', 'no_page', 'bare'] },
  ])
  await clear()
})

test('the picture is a picture whatever its token says, and only ours is noted', async () => {
  const ours = await app.inject({ url: pathOf(links.openUrl) })
  const made = await app.inject({ url: '/e/o/AAAA' })
  for (const answer of [ours, made]) {
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'image/gif')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.rawPayload.subarray(0, 6).toString(), 'GIF89a')
  }
  assert.deepEqual(
    (await stored(1)).map(({ kind }) => kind),
    ['open'],
  )
  await clear()
})

test('a link that was tampered with leads nowhere: 404 and a page, never a redirect', async () => {
  const token = links.clickUrl('https://good.example/', 0).split('/').at(-1)!
  const evil = Buffer.from(token, 'base64url')
  evil.write('evil', evil.length - 12)
  const forged = [
    evil.toString('base64url'),
    `${token}A`,
    token.slice(1),
    token.toLowerCase(),
    links.openUrl.split('/').at(-1)!,
    links.unsubscribeUrl.split('/').at(-1)!,
    'x'.repeat(2_000),
    encodeURIComponent('https://evil.example/'),
  ]
  for (let at = 0; at < token.length; at += 3)
    forged.push(token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
  for (const each of forged) {
    const answer = await app.inject({ url: `/e/c/${each}?u=https://evil.example/&url=https://evil.example/` })
    assert.equal(answer.statusCode, 404, each)
    assert.equal(answer.headers.location, undefined)
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
    assert.ok(!answer.body.includes('evil'))
  }
  await stored(0)
})

test('while the database is away links lead on, and what was noted is written when it is back', async (t) => {
  const away = t.mock.method(pool, 'connect', () =>
    Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  )
  const answer = await app.inject({ url: pathOf(links.clickUrl('https://good.example/', 1)) })
  assert.equal(answer.statusCode, 302)
  await eventually('a write has failed', () => errors.length > 0)
  away.mock.restore()
  await eventually('the hit is stored', () =>
    stored(1).then(
      () => true,
      () => false,
    ),
  )
  await clear()
})
