import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, send } from '../support/http-client.ts'
import { MAKE_WAITS_LONG } from '../support/long-waits.ts'
import { storeIntegration, storeVerifiedDomain } from '../support/sending-world.ts'
import { type ServedModules, serveModules } from '../support/served-modules.ts'
import { type Person, type SiteCaller, siteCaller } from '../support/site-caller.ts'

let served: ServedModules
let token: string
let site: SiteCaller
let viewer: Person
let member: Person

before(async () => {
  served = await serveModules()
  const { instance, pools } = served
  await instance.sql(MAKE_WAITS_LONG)
  const workspaceId = await instance.makeWorkspace('news')
  assert.equal(workspaceId, '1')
  token = await instance.makeToken()
  site = siteCaller(instance)
  viewer = await site.person('Vera', 'viewer')
  member = await site.person('Max', 'member')
  await storeVerifiedDomain(pools.sql, served.secrets, { workspaceId })
  await storeIntegration(pools.sql, workspaceId, { port: 1 })
  await instance.sql(
    `insert into contacts (workspace_id, email) select 1, 'p' || n || '@example.com' from generate_series(1, 20) n`,
  )
  await instance.sql(
    `insert into suppressions (workspace_id, destination, reason) values (1, 'p3@example.com', 'complaint')`,
  )
})
after(() => served.stop())

const api = (method: string, path: string, call: Call = {}) =>
  send(method, `${served.instance.baseUrl}/api${path}`, { headers: { authorization: `Bearer ${token}` }, ...call })
const own = (method: string, path: string, call: Call & { cookie?: string } = {}) =>
  site.call(method, `/site/workspaces/news${path}`, { cookie: member.cookie, ...call })

const CONTENT = {
  subject: 'News',
  body: '<p>Hello, <a href="https://example.com/">read on</a>. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
}
async function draft(name: string): Promise<string> {
  const { status, json: body } = await api('POST', '/broadcasts', { json: { name, ...CONTENT } })
  assert.equal(status, 201)
  return (body as { id: string }).id
}

test('the preflight of both surfaces forecasts who will get it, and who will not and why', async () => {
  const id = await draft('Forecast')
  for (const call of [api, own]) {
    const { status, json: body } = await call('GET', `/broadcasts/${id}/preflight`)
    assert.equal(status, 200)
    assert.equal(body.recipientsCount, 20)
    assert.deepEqual(body.forecast, {
      sendCount: 19,
      skips: [{ state: 'suppressed', reason: 'complaint', rule: 'suppression', count: 1 }],
    })
  }
})

test('an audience that is not as large as was expected is not sent to: 409 with the number it has', async () => {
  const id = await draft('Expected')
  for (const [call, act, body] of [
    [api, 'send', {}],
    [own, 'send', {}],
    [own, 'schedule', { scheduledAt: '2036-12-01T08:00:00Z' }],
  ] as const) {
    const answer = await call('POST', `/broadcasts/${id}/${act}`, { json: { ...body, expectedCount: 19 } })
    assert.deepEqual([answer.status, answer.json.code, answer.json.count], [409, 'audience-changed', 20])
    assert.deepEqual(answer.json.errors, [{ pointer: '/expectedCount', detail: 'is 20 now' }])
  }
  assert.equal((await api('GET', `/broadcasts/${id}`)).json.status, 'draft')
  assert.equal((await api('POST', `/broadcasts/${id}/send`, { json: { expected: 20 } })).status, 400)
  assert.equal((await own('POST', `/broadcasts/${id}/send`, { cookie: viewer.cookie })).status, 403)
  assert.equal((await own('POST', `/broadcasts/${id}/send`, { json: { expectedCount: 20 } })).status, 202)
})

test('a segment that is none is named where the body has it', async () => {
  const id = await draft('To nobody')
  const { json: segment } = await api('POST', '/segments', { json: { name: 'Somebody', definition: '' } })
  const audience = `/broadcasts/${id}/audience`
  for (const [method, path, json, pointer] of [
    ['POST', '/broadcasts', { name: 'To none', ...CONTENT, segmentId: '999999' }, '/segmentId'],
    ['PATCH', `/broadcasts/${id}`, { segmentId: '0999999' }, '/segmentId'],
    ['PUT', audience, { segmentId: '9'.repeat(30) }, '/segmentId'],
    ['PUT', audience, { segmentIds: [segment.id, `0${segment.id}`, '999999'] }, '/segmentIds/2'],
    ['PUT', audience, { excludedSegmentIds: ['999999'] }, '/excludedSegmentIds/0'],
  ] as const) {
    const answer = await api(method, path, { json })
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(answer.json.errors, [{ pointer, detail: 'is not a segment of this workspace' }])
  }
})

test('a broadcast is sent without a body too, and the list counts what becomes of each', async () => {
  const id = await draft('Bare')
  assert.equal((await api('POST', `/broadcasts/${id}/send`)).status, 202)
  for (const call of [api, own]) {
    const { status, json: body } = await call('GET', '/broadcasts?sort=-id&pageSize=1')
    assert.equal(status, 200)
    const [{ id: newest, counts }] = body.items
    assert.equal(newest, id)
    const { recipientsTotal, pendingCount, acceptedCount } = counts
    assert.deepEqual([recipientsTotal, pendingCount, acceptedCount], [0, 0, 0], 'no worker runs here')
  }
})

test('who a broadcast went to is narrowed by link, and taken as a file that stands in the audit log', async () => {
  const id = await draft('Recipients')
  await served.instance.sql(
    `insert into messages (workspace_id, created_at, purpose, source_kind, source_id, contact_id, destination, state, settled_at, clicked_at)
     select 1, date_trunc('day', now()), 'marketing', 'broadcast', $1, n, 'r' || n || '@example.com', 'accepted', now(), now()
     from generate_series(1, 3) n`,
    [id],
  )
  await served.instance.sql(
    `insert into message_hits (workspace_id, message_id, at, kind, link, url, signals, verdict)
     select 1, id, now(), 'click', contact_id, 'https://example.com/', '{}', case contact_id when 3 then 'machine' else 'human' end
     from messages where source_id = $1`,
    [id],
  )
  for (const call of [api, own]) {
    const people = async (query: string) => {
      const { json } = await call('GET', `/broadcasts/${id}/recipients?${query}`)
      return json.items.map(({ destination }: { destination: string }) => destination)
    }
    assert.deepEqual(await people('link=2'), ['r2@example.com'])
    assert.deepEqual(await people('link=3'), [], 'a machine followed it')
    const file = await call('GET', `/broadcasts/${id}/recipients/export?mark=clicked`)
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
    const [head, ...lines] = file.text.trim().split('\n')
    assert.match(head!, /^messageId,contactId,destination,state,/)
    assert.equal(lines.length, 3)
    assert.equal((await call('GET', '/broadcasts/999999/recipients/export')).status, 404)
  }
  const audited = await served.instance.sql(`select from audit_entries where action = 'broadcast.export_recipients'`)
  assert.equal(audited.length, 2)
})

test('the heat map has the clicks of people on each link of the mail, those of machines apart', async () => {
  const id = await draft('Heat')
  const link = (address: string) => `<a href="${address}">x</a>`
  const body = link('https://example.com/{{ email }}') + link('https://example.com/two') + link('{{ unsubscribe_url }}')
  await api('PATCH', `/broadcasts/${id}`, { json: { body } })
  assert.equal((await api('GET', `/broadcasts/${id}/heat-map`)).json.code, 'wrong-status')
  assert.equal((await api('POST', `/broadcasts/${id}/send`)).status, 202)
  await served.instance.sql(
    `insert into hit_totals (workspace_id, broadcast_id, kind, link, url, human_hits, machine_hits, human_messages, machine_messages)
     values (1, $1, 'click', 1, 'https://example.com/two', 5, 2, 4, 1), (1, $1, 'click', 7, 'https://example.com/gone', 1, 0, 1, 0)`,
    [id],
  )
  const contact = (await api('GET', '/contacts?pageSize=1')).json.items[0]
  for (const call of [api, own]) {
    const { status, json } = await call('GET', `/broadcasts/${id}/heat-map?contactId=${contact.id}`)
    assert.equal(status, 200)
    assert.match(json.html, /href="link:0".*href="link:1".*href="http/)
    assert.deepEqual(
      json.links.map((one: Record<string, unknown>) => [one.position, one.url, one.isShown, one.clickCount]),
      [
        [0, `https://example.com/${contact.email}`, true, 0],
        [1, 'https://example.com/two', true, 5],
        [7, 'https://example.com/gone', false, 1],
      ],
    )
    assert.deepEqual([json.links[1].clickedCount, json.links[1].machineClickCount], [4, 2])
    assert.equal((await call('GET', `/broadcasts/${id}/heat-map?contactId=999999`)).status, 422)
    assert.equal((await call('GET', '/broadcasts/999999/heat-map')).status, 404)
  }
})

test('how mail goes is told on both surfaces, of all of it, of a broadcast and of a domain', async () => {
  const id = await draft('Series')
  await served.instance.sql(
    `insert into message_hours (workspace_id, about, hour, kind, shard, total)
     select 1, about, date_trunc('hour', now(), 'UTC'), kind, 1, total from unnest(array['', 'broadcast ' || $1, 'domain sender.example']) about
     cross join (values ('accepted', 1000), ('bounced', 20), ('complained', 1)) k (kind, total)`,
    [id],
  )
  for (const call of [api, own]) {
    const overview = await call('GET', '/overview?interval=hour&from=2026-01-01T00:00:00Z&to=2026-01-01T05:00:00Z')
    assert.deepEqual([overview.status, overview.json.series.length], [200, 5])
    const now = await call('GET', '/overview')
    assert.deepEqual([now.status, now.json.totals.accepted, now.json.before.accepted], [200, 1000, 0])
    const series = await call('GET', `/broadcasts/${id}/series`)
    assert.deepEqual([series.status, series.json.interval, series.json.totals.bounced], [200, 'hour', 20])
    assert.equal((await call('GET', '/broadcasts/999999/series')).status, 404)
    const rates = await call('GET', '/sending-domains/rates?windowDays=7')
    assert.equal(rates.status, 200)
    assert.deepEqual(rates.json.items, [
      {
        sendingDomainId: rates.json.items[0].sendingDomainId,
        domain: 'sender.example',
        windowDays: 7,
        complaintRate: { numerator: 1, denominator: 1000, rate: 0.001 },
        bounceRate: { numerator: 20, denominator: 1000, rate: 0.02 },
      },
    ])
    assert.equal((await call('GET', '/sending-domains/rates?windowDays=91')).status, 400)
  }
})
