import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { startReceiver } from '../../../../test/support/receiver.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { PRIVATE_NETWORKS } from '../../../platform/mail/mail-host.ts'
import { createGuardedClient } from '../../../platform/net/guarded-client.ts'
import { createResolver } from '../../../platform/net/resolver.ts'
import type { Problem } from '../../../platform/problem.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { createSegment } from '../../segments/manage-segments.ts'
import { createCompiledCache } from '../../templates/compiled-cache.ts'
import { samplesFor } from '../../templates/read-samples.ts'
import { UNNAMED } from '../../workspaces/unnamed.ts'
import { createBroadcast, setAudience } from '../manage-broadcasts.ts'
import { checkContent } from './check-content.ts'
import { preflight, requireReady } from './preflight.ts'
import { sendTest } from './send-test.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const secrets = testSecrets()
const client = createGuardedClient({ allow: PRIVATE_NETWORKS, resolve: createResolver({ servers: ['127.0.0.1:1'] }) })
const deps = {
  sql: pool,
  secrets,
  client,
  isCatcher: () => false,
  compiled: createCompiledCache(),
  baseUrl: new URL('https://mail.example/'),
}
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R & Record<string, unknown>>(pool, workspaceId, { text, values })

const GOOD = {
  subject: 'Hello {{ first_name | default: "you" }}',
  body: '<p>Hello. <a href="https://shop.example/">Look</a> <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
}
const draft = async (content: object = {}) =>
  (await createBroadcast(deps, caller, { name: 'News', ...GOOD, ...content })).id
const look = async (content: object = {}, options = {}) =>
  preflight(deps, { workspaceId, id: await draft(content) }, options)
const codes = ({ checks }: { checks: readonly { code: string; severity: string }[] }, severity = 'error') =>
  checks.filter((one) => one.severity === severity).map(({ code }) => code)

test('without anybody, an integration or a domain it says so, and it is ready once they are there', async () => {
  assert.deepEqual(codes(await look()).sort(), ['audience_empty', 'no_integration'])
  await createContact(deps, caller, { email: 'ada@a.example' })
  const integrationId = await storeIntegration(pool, workspaceId, { port: 1 })
  const unsigned = await look()
  assert.deepEqual(codes(unsigned), ['unverified_domain'])
  assert.match(unsigned.checks[0]!.detail, /sender\.example is not a verified sending domain/)
  await storeVerifiedDomain(pool, secrets, { workspaceId })
  const ready = await look()
  assert.deepEqual([codes(ready), ready.ready, ready.recipientsCount], [[], true, 1])
  assert.ok(ready.htmlBytes! > 50)
  assert.deepEqual(codes(await look({ fromEmail: 'me@elsewhere.example' })), ['unverified_domain'])
  await rows('update integrations set enabled = false where id = $1', [integrationId])
  assert.deepEqual(codes(await look()), ['integration_disabled'])
  await rows('update integrations set enabled = true where id = $1', [integrationId])
})

test('what cannot be compiled or rendered is named with its line', async () => {
  const faulty = await look({ body: '<p>Hello</p>\n<p>{% if first_name %}</p>' })
  assert.deepEqual(codes(faulty), ['content_faulty'])
  assert.deepEqual([faulty.checks[0]?.field, faulty.checks[0]?.line], ['body', 2])
  assert.deepEqual(codes(await look({ body: `${GOOD.body} {% for n in (1..9000000) %}x{% endfor %}` })), [
    'render_failed',
  ])
  assert.deepEqual(codes(await look({ subject: ' ', body: '' })), ['subject_missing', 'body_missing'])
  assert.deepEqual(codes(await look({ subject: '{{ first_name }}' })), ['subject_missing'])
  assert.deepEqual(
    codes(await look({ subject: '', body: '<p>{% if first_name %}</p>' })),
    ['subject_missing', 'content_faulty'],
    'both at once',
  )
})

test('a name that no contact has a value for is a warning', async () => {
  const { checks } = await look({ subject: 'Hello {{ frist_name }} {{ email }}' })
  const unknown = checks.filter(({ code }) => code === 'unknown_field')
  assert.deepEqual(
    unknown.map(({ detail }) => detail),
    ['No contact has a field of this name: frist_name.'],
  )
})

test('a way out is asked for, in the text part as well', async () => {
  assert.deepEqual(codes(await look({ body: '<p>Hello</p>' })), ['unsubscribe_missing'])
  assert.deepEqual(codes(await look({ body: '<p><a href="{{ preferences_url }}">Preferences</a></p>' })), [])
  assert.ok(codes(await look({ text: 'Hello' }), 'warning').includes('unsubscribe_missing'))
})

test('an image without a picture is found in its line', async () => {
  const body = `${GOOD.body}\n<img alt="a" src="">\n<img src='https://shop.example/a.png'>\n<img src = '' width="1">`
  const { checks } = await look({ body })
  const found = checks.filter(({ detail }) => detail.includes('no picture'))
  assert.deepEqual(
    found.map(({ code, severity, field, line }) => [code, severity, field, line]),
    [2, 4].map((line) => ['content_warning', 'warning', 'body', line]),
  )
})

test('a picture that leads somewhere and says nothing is found in its line, in blocks and in HTML', async () => {
  const html = ['alt="A chair"', '', 'alt=""', "alt='{{ first_name }}'"].map(
    (alt) => `<a class="b" href="https://shop.example/"><img src="https://shop.example/a.png" ${alt}></a>`,
  )
  const said = '<a href="https://shop.example/"><img src="https://shop.example/a.png"> Words</a>'
  const plain = '<img src="https://shop.example/a.png">'
  assert.deepEqual(await mute([GOOD.body, ...html, said, plain].join('\n')), [3, 4])
  const picture = (attributes: string) => `<mj-image src="https://shop.example/a.png" ${attributes} />`
  const link = 'href="https://shop.example/"'
  const blocks = [`alt="A chair" ${link}`, link, `${link} alt=""`, 'alt=""', 'href="" alt=""'].map(picture)
  const foot = '<mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>'
  const body = ['<mjml><mj-body><mj-section><mj-column>', ...blocks, foot, '</mj-column></mj-section></mj-body></mjml>']
  assert.deepEqual(await mute(body.join('\n')), [3, 4])
})

/** The lines of pictures that lead somewhere without a word. */
async function mute(body: string): Promise<(number | null)[]> {
  const { checks } = await look({ body })
  return checks.filter(({ detail }) => detail.includes('says nothing')).map(({ line }) => line)
}

test('links that lead nowhere are found, each in its line', async () => {
  const links = [
    '',
    '#',
    'www.shop.example',
    'http://shop.example/',
    'https://localhost/x',
    '#top',
    'mailto:a@b.example',
  ]
  const body = links.map((link) => `<p><a href="${link}">x</a></p>`).join('\n')
  const { checks } = await look({ body: `${GOOD.body}\n${body}` })
  const found = checks.filter(({ code }) => code.startsWith('link_')).map(({ code, line }) => [code, line])
  assert.deepEqual(found, [
    ['link_broken', 2],
    ['link_broken', 3],
    ['link_broken', 4],
    ['link_insecure', 5],
    ['link_broken', 6],
  ])
})

test('the servers behind links are asked only on request', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  receiver.behave(({ path }) => ({ kind: 'answer', status: path.includes('gone') ? 404 : 200 }))
  const base = new URL('/', receiver.url).href
  const body = `${GOOD.body.replace('https://shop.example/', `${base}fine`)} <a href="${base}gone">x</a>`
  assert.ok(!codes(await look({ body }), 'warning').includes('link_broken'))
  assert.equal(receiver.requests.length, 0)
  const asked = await look({ body }, { linksVia: client })
  const broken = asked.checks.filter(({ code }) => code === 'link_broken')
  assert.deepEqual(
    broken.map(({ detail }) => detail),
    [`The link ${base}gone answers 404.`],
  )
})

test('size, pictures without words and words that filters look for are warnings', async () => {
  const large = await look({ body: `${GOOD.body}${'<p>word</p>'.repeat(12_000)}` })
  assert.ok(codes(large, 'warning').includes('message_large'))
  const links = Array.from({ length: 950 }, (_, n) => `<a href="https://a.example/${n}">word</a>`).join(' ')
  const tracked = await look({ body: `${GOOD.body}${links}` })
  assert.ok(codes(tracked, 'warning').includes('message_large'), `${tracked.htmlBytes} bytes`)
  await rows(
    `insert into sending_settings (workspace_id, track_clicks, track_opens) values ($1, false, false)
     on conflict (workspace_id) do update set track_clicks = false, track_opens = false`,
    [workspaceId],
  )
  const untracked = await look({ body: `${GOOD.body}${links}` })
  assert.ok(!codes(untracked, 'warning').includes('message_large'), `${untracked.htmlBytes} bytes`)
  await rows('delete from sending_settings where workspace_id = $1', [workspaceId])
  const pictures = await look({
    body: '<a href="{{ unsubscribe_url }}"><img src="https://a.example/b.png"></a>',
    text: ' ',
  })
  assert.ok(codes(pictures, 'warning').includes('text_missing'))
  const spam = await look({ subject: 'FREE MONEY FOR EVERYBODY!!!', body: `${GOOD.body} Act now, risk free` })
  const said = spam.checks.filter(({ code }) => code === 'spam_words').map(({ field, detail }) => `${field}: ${detail}`)
  assert.deepEqual(said, [
    'subject: Filters look for “free money”.',
    'body: Filters look for “act now”, “risk free”.',
    'subject: The subject is written in capitals.',
  ])
  assert.ok(codes(await look(), 'warning').includes('postal_address_missing'))
})

test('that readers will see a workspace without a name is warned of until it has one', async () => {
  const rename = (name: string) => rows('update workspaces set name = $2 where id = $1', [workspaceId, name])
  const warned = async () => codes(await look(), 'warning').includes('workspace_unnamed')
  await rename(UNNAMED)
  assert.ok(await warned())
  await rename('Fernwood')
  assert.ok(!(await warned()))
})

test('the samples for marketing mail have nothing against them', async () => {
  await rows(
    `insert into sending_settings (workspace_id, postal_address) values ($1, $2)
     on conflict (workspace_id) do update set postal_address = $2`,
    [workspaceId, '12 Mill Lane, York'],
  )
  const samples = await samplesFor({ name: null, color: null })
  for (const { key, subject, body } of samples.filter(({ kind }) => kind !== 'transactional')) {
    const { checks } = await checkContent(deps, { workspaceId, renderedFor: 'request' }, { subject, body, text: null })
    assert.deepEqual(checks, [], key)
  }
  await rows('delete from sending_settings where workspace_id = $1', [workspaceId])
})

test('a segment that holds no longer keeps it from being sent, and the refusal names the field', async () => {
  const { id: segmentId } = await createSegment(deps, caller, { name: 'All', definition: '' })
  await rows(
    `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"x"}]}' where id = $1`,
    [segmentId],
  )
  const id = await draft({ segmentId })
  await assert.rejects(requireReady(deps, { workspaceId, id }), (problem: Problem) => {
    assert.equal(problem.statusCode, 422)
    assert.deepEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ['/segmentIds'],
    )
    return true
  })
})

test('it is not sent as another draft than was looked at, and its audience is named', async () => {
  const { id: chosen } = await createSegment(deps, caller, { name: 'Chosen', definition: '' })
  const { id: left } = await createSegment(deps, caller, { name: 'Left out', definition: '' })
  const { id: first } = await createSegment(deps, caller, { name: 'First', definition: '' })
  const id = await draft({ segmentIds: [first, chosen], excludedSegmentIds: [left] })
  const key = { workspaceId, id }
  const { audience, updatedAt } = await preflight(deps, key)
  const names = (named: readonly { name: string }[]) => named.map(({ name }) => name)
  assert.deepEqual(names(audience.segments).sort(), ['Chosen', 'First'])
  assert.deepEqual([names(audience.excludedSegments), audience.topic], [['Left out'], null])
  await setAudience(deps, caller, { id, body: { segmentIds: [chosen] } })
  await assert.rejects(requireReady(deps, key, { expectedUpdatedAt: updatedAt }), {
    statusCode: 409,
    detail: /changed since it was looked at/,
  })
  const seen = await preflight(deps, key)
  for (const expectedUpdatedAt of [seen.updatedAt, seen.updatedAt.replace('Z', '+00:00')])
    assert.deepEqual(await requireReady(deps, key, { expectedUpdatedAt }), { updatedAt: seen.updatedAt })
})

test('a test goes to each address once, with a subject that says so, for a sample person or a contact', async () => {
  const id = await draft({ body: `${GOOD.body} Dear {{ first_name }}` })
  const ada = await createContact(deps, caller, { email: 'real@a.example', firstName: 'Grace' })
  await sendTest(deps, caller, { id, body: { email: ' Me@Team.example ' } })
  await sendTest(deps, caller, { id, body: { email: 'me@team.example', contactId: ada.id } })
  const sent = await rows<{ subject: string; html: string }>(
    `select m.destination, m.source_kind, m.source_id, e.subject, e.html, e.one_click_url from messages m
     join emails e on e.workspace_id = m.workspace_id and e.message_id = m.id where m.source_kind = 'test' order by m.id`,
  )
  assert.deepEqual(
    sent.map(({ destination, subject, source_id }) => [destination, subject, source_id]),
    [
      ['me@team.example', '[Test] Hello Alex', null],
      ['me@team.example', '[Test] Hello Grace', null],
    ],
  )
  assert.ok(sent[0]!.html.includes('https://mail.example/e/u/test'))
  await assert.rejects(sendTest(deps, caller, { id, body: { email: 'nobody' } }), { statusCode: 400 })
  const several = { email: 'a@team.example', alsoTo: ['b@team.example', 'B@team.example', 'no one', 'a@team.example'] }
  await assert.rejects(sendTest(deps, caller, { id, body: several }), {
    errors: [{ pointer: '/alsoTo/2', detail: '“no one” is no email address' }],
  })
  await sendTest(deps, caller, { id, body: { ...several, alsoTo: several.alsoTo.toSpliced(2, 1) } })
  const fresh = await rows<{ destination: string }>(
    `select destination from messages where source_kind = 'test' and destination <> 'me@team.example' order by id`,
  )
  assert.deepEqual(
    fresh.map(({ destination }) => destination),
    ['a@team.example', 'b@team.example'],
    'to each once, and to nobody while one is none',
  )
  await assert.rejects(sendTest(deps, caller, { id, body: { email: 'a@b.example', contactId: '999999' } }), {
    statusCode: 422,
  })
  const team = { email: 'olga@team.example', toMembersOnly: true }
  const withOther = { ...team, alsoTo: ['else@team.example'] }
  await assert.rejects(sendTest(deps, caller, { id, body: team }), { statusCode: 422 })
  await rows(
    `with someone as (insert into users (email, name, password_hash) values ('olga@team.example', 'Olga', '$argon2id$x') returning id)
     insert into memberships (workspace_id, user_id, role) select $1, id, 'member' from someone`,
    [workspaceId],
  )
  await sendTest(deps, caller, { id, body: team })
  await assert.rejects(sendTest(deps, caller, { id, body: withOther }), {
    errors: [
      { pointer: '/email', detail: 'must be the address of a member of the workspace, which else@team.example is not' },
    ],
  })
  const unable = await draft({ body: '{% if %}' })
  await assert.rejects(sendTest(deps, caller, { id: unable, body: { email: 'a@b.example' } }), { statusCode: 422 })
})
