import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BREVO_KEY, startBrevo } from '../../../test/support/brevo-peer.ts'
import { KEILA_FILE, KEILA_KEY, startKeila } from '../../../test/support/keila-peer.ts'
import { LISTMONK_LOGIN, startListmonk } from '../../../test/support/listmonk-peer.ts'
import { mailchimpArchive } from '../../../test/support/mailchimp-archive.ts'
import { MAILCHIMP_KEY, startMailchimp } from '../../../test/support/mailchimp-peer.ts'
import { LONG_NUMBER } from '../../../test/support/service-peer.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { zipOf } from '../../../test/support/zip-archive.ts'
import { bytesInMemory } from '../../platform/bytes/byte-source.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { readTemplate } from '../templates/read-templates.ts'
import { FORESEEN, foresee } from './foresee.ts'
import { moveIn } from './move-in.ts'
import type { MovedPage, ReadPage, Service } from './moved.ts'
import { OPEN_WAY } from './open-way.ts'
import { numbered, pagesOf } from './read-parts.ts'
import { API_SOURCES, type ApiSourceName, FILE_SOURCES, type FileSourceName } from './sources.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const listmonk = await startListmonk()
after(() => listmonk.close())
const compiled = createCompiledCache()
// The thread that lays out is there: on a machine with much to do its start takes longer than a request may.
await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })
const deps = { sql: pool, pool, compiled }
type Moved = { service: Service; pages: MovedPage[] }
const apply = (moved: Moved) => moveIn(deps, caller, moved)
const foreseenOf = ({ service, pages }: Moved) => pages.reduce((seen, page) => foresee(seen, page, service), FORESEEN)
async function allOf(read: ReadPage): Promise<MovedPage[]> {
  const pages: MovedPage[] = []
  for await (const page of pagesOf(read)) pages.push(page)
  return pages
}
async function readFile(name: FileSourceName, content: Buffer): Promise<Moved> {
  const { service, open } = FILE_SOURCES[name]
  return { service, pages: await allOf(await open(bytesInMemory(content))) }
}
async function ask(name: ApiSourceName, { base, key }: { base: string; key: string }): Promise<Moved> {
  const { service, open } = API_SOURCES[name]
  return { service, pages: await allOf(open({ base, key, way: OPEN_WAY })) }
}
const readMailchimp = (archive: Buffer) => readFile('mailchimp-archive', archive)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

/** Everything that a rerun could change, of people of a domain. */
async function stateOf(domain: string) {
  const like = `%@${domain}`
  const people = await rows(
    `select c.email, c.first_name as first, c.last_name as last, c.custom_fields as fields, k.provenance, k.opted_in_at as "optedIn",
       k.opt_in_ip as ip, k.confirmed_at as confirmed,
       array(select t.name from contact_tags ct join tags t on t.workspace_id = ct.workspace_id and t.id = ct.tag_id
         where ct.workspace_id = c.workspace_id and ct.contact_id = c.id order by 1) as tags
     from contacts c left join contact_consents k on k.workspace_id = c.workspace_id and k.contact_id = c.id
     where c.workspace_id = $1 and c.email like $2 order by c.email`,
    [like],
  )
  const suppressed = await rows<{ destination: string; reason: string; detail: string }>(
    'select destination, reason, detail from suppressions where workspace_id = $1 and destination like $2 order by 1',
    [like],
  )
  const unsubscribed = await rows<{ destination: string; source: string }>(
    'select destination, sending_source as source from unsubscribes where workspace_id = $1 and destination like $2 order by 1',
    [like],
  )
  const [counts] = await rows(
    `select (select count(*) from templates where workspace_id = $1) as templates,
       (select count(*) from broadcasts where workspace_id = $1) as broadcasts,
       (select count(*) from imports where workspace_id = $1) as imports`,
  )
  return { people: people as Record<string, unknown>[], suppressed, unsubscribed, counts }
}

test('an export of Mailchimp comes in as it was there, and once more it changes nothing', async () => {
  const moved = await readMailchimp(mailchimpArchive())
  const foreseen = foreseenOf(moved)
  assert.deepEqual(foreseen.people, { ...foreseen.people, total: 8, withConsent: 2, withoutConsent: 5 })
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 1, bounce: 1, complaint: 1, manual: 0 })
  assert.deepEqual(foreseen.tags, ['Customer', 'Newsletter, weekly', 'VIP'])
  assert.deepEqual([foreseen.templates, foreseen.broadcasts], [['123 monthly news'], ['456 spring']])
  assert.deepEqual(foreseen.leftOut.map(({ count, why }) => [count, why]).toSorted(), [
    [1, 'email must be an email address'],
    [1, 'has no counterpart here, and stands in the text as it is'],
    [1, 'is no file of people, templates or campaigns'],
  ])
  assert.deepEqual((await stateOf('move.example')).people, [], 'to look changes nothing')

  const applied = await apply(moved)
  assert.deepEqual(
    applied.people.map(({ created, failed }) => [created, failed]),
    [
      [1, 0],
      [1, 0],
      [3, 1],
      [2, 0],
    ],
  )
  const state = await stateOf('move.example')
  const of = (name: string) => state.people.find(({ email }) => email === `${name}@move.example`)!
  assert.equal(state.people.length, 7)
  const ada = of('ada')
  assert.deepEqual(
    [ada.first, ada.tags, ada.provenance, ada.ip],
    ['Ada', ['Newsletter, weekly', 'VIP'], 'imported', '192.0.2.7'],
  )
  assert.deepEqual(
    [Date.parse(String(ada.optedIn)), Date.parse(String(ada.confirmed))],
    [Date.UTC(2023, 4, 2, 9, 15, 42), Date.UTC(2023, 4, 2, 9, 20)],
  )
  assert.deepEqual([of('bob').provenance, of('bob').confirmed], ['imported', null])
  // A consent that nobody can show is none, and one that was taken back stays so.
  for (const name of ['carla', 'una', 'spam', 'gone', 'shop']) assert.equal(of(name).provenance, null, name)
  assert.deepEqual(state.suppressed, [
    { destination: 'gone@move.example', reason: 'bounce', detail: 'Mailchimp: cleaned' },
    { destination: 'spam@move.example', reason: 'complaint', detail: 'Mailchimp: SPAM' },
  ])
  assert.deepEqual(state.unsubscribed, [{ destination: 'una@move.example', source: 'everything' }])
  const [made] = await rows<{ id: string }>('select id from templates where workspace_id = $1')
  const template = await readTemplate(pool, workspaceId, made!.id)
  assert.deepEqual([template.key, template.subject], ['mailchimp-123-monthly-news', 'News for {{ first_name }}'])
  assert.match(template.body, /Hello \{\{ first_name \}\} \{\{ '\{\{' \}\} literally/)
  assert.match(template.body, /\*\|ARCHIVE\|\*.*\n?<a href="\{\{ unsubscribe_url \}\}"/)

  await rows(
    `update contacts set first_name = 'Countess', custom_fields = '{"notes": "ours"}' where workspace_id = $1 and email = 'ada@move.example'`,
  )
  const before = await stateOf('move.example')
  const again = await apply(await readMailchimp(mailchimpArchive()))
  assert.deepEqual(
    [again.optOuts, again.templates, again.broadcasts],
    [
      { added: 0, known: 3 },
      { created: 0, known: 1 },
      { created: 0, known: 1 },
    ],
  )
  assert.deepEqual(await stateOf('move.example'), before)
})

test('a move that is broken off in the middle goes on where it was, each person once', async () => {
  const moved = await readMailchimp(mailchimpArchive({ more: 2_500 }))
  let broken = 0
  let people: Awaited<ReturnType<typeof apply>>['people'] | undefined
  for (; people === undefined; broken++) {
    let steps = 0
    // Each run goes one step further into the import before it dies.
    const breaking = new Proxy(pool, {
      get: (target, name) =>
        name === 'connect' && ++steps > broken
          ? () => Promise.reject(new Error('killed'))
          : Reflect.get(target, name, target),
    })
    const ended = await moveIn({ ...deps, pool: breaking }, caller, moved).catch((error: Error) => error.message)
    if (typeof ended === 'string') assert.equal(ended, 'killed')
    else people = ended.people
  }
  assert.ok(broken > 3, `it was broken off ${broken - 1} times`)
  const subscribed = people.find(({ file }) => file.startsWith('subscribed'))!
  assert.deepEqual([subscribed.created, subscribed.updated + subscribed.unchanged, subscribed.failed], [2_500, 3, 1])
  assert.equal((await stateOf('many.example')).people.length, 2_500)
})

test('a file too long for one import comes in by two, each person once and under the names of its columns', async () => {
  const rowChars = 200_000
  const people = Math.ceil((64 * 1_048_576) / rowChars) + 10
  // A column without a name to go by is left out: it only makes the file long, and places in it are characters.
  const filler = `ü${'x'.repeat(rowChars)}`
  const lines = Array.from({ length: people }, (_, n) => `l${n}@long.example,L${n},${filler}`)
  const content = ['Email Address,First Name,…', ...lines, ''].join('\n')
  const applied = await apply(await readMailchimp(zipOf({ 'subscribed_members_export_1.csv': content }, 1)))
  assert.deepEqual(
    applied.people.map(({ file }) => file),
    ['subscribed_members_export_1.csv', 'subscribed_members_export_1.csv (2)'],
  )
  for (const { created, failed } of applied.people) assert.ok(created > 0 && failed === 0)
  const found = (await stateOf('long.example')).people.map(({ email, first }) => [email, first])
  assert.deepEqual(
    found,
    lines.map((_, n) => [`l${n}@long.example`, `L${n}`]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
  )
})

test('an installation of listmonk comes in by its API: lists as tags, consent by what was confirmed', async () => {
  const read = () => ask('listmonk', { base: listmonk.url, key: LISTMONK_LOGIN })
  const moved = await read()
  const foreseen = foreseenOf(moved)
  assert.deepEqual([foreseen.people.total, foreseen.people.withConsent], [9, 4])
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 1, bounce: 1, complaint: 0, manual: 1 })
  assert.deepEqual(
    [foreseen.tags, foreseen.fields],
    [
      ['News', 'Offers', 'Weekly, "best of"'],
      ['account', 'city', 'good', 'visits'],
    ],
  )
  assert.deepEqual(foreseen.leftOut.map(({ why }) => why).toSorted(), [
    'email must be an email address',
    'is a layout: each campaign has it in its own text',
    'is written as markdown',
    'the tag of a list is given to those who are on it',
    'uses {{ if .Subscriber.Name }}, {{ end }}, which has no counterpart here',
  ])
  await apply(moved)
  const state = await stateOf('monk.example')
  const of = (name: string) => state.people.find(({ email }) => email === `${name}@monk.example`)!
  const john = of('john')
  assert.deepEqual([john.first, john.last, john.tags], ['John', 'von Neumann', ['Weekly, "best of"']])
  assert.deepEqual(parseExactJson(String(john.fields)), {
    account: LONG_NUMBER,
    city: 'Bengaluru',
    good: true,
    visits: 12,
  })
  assert.equal(Date.parse(String(john.confirmed)), Date.UTC(2021, 2, 1, 10, 5))
  assert.deepEqual([of('single').provenance, of('single').confirmed], ['imported', null])
  for (const name of ['waiting', 'left', 'blocked', 'nolist']) assert.equal(of(name).provenance, null, name)
  assert.deepEqual(of('partly').tags, ['Offers'])
  assert.deepEqual(
    state.suppressed.map((one) => Object.values(one)),
    [
      ['blocked@monk.example', 'manual', 'listmonk: blocklisted'],
      ['hard@monk.example', 'bounce', 'listmonk: hard bounce'],
    ],
  )
  assert.deepEqual(state.unsubscribed, [{ destination: 'left@monk.example', source: 'everything' }])
  const broadcasts = await rows<{ name: string; subject: string; body: string; text: string | null; status: string }>(
    `select name, subject, body, text, status from broadcasts where workspace_id = $1 and name like '%listmonk%' order by name`,
  )
  assert.deepEqual(
    broadcasts.map(({ name, status, text }) => [name, status, text]),
    [
      ['Plain (listmonk 3)', 'draft', 'Hello {{ first_name }} {{ last_name }}'],
      ['Welcome (listmonk 1)', 'draft', null],
    ],
  )
  assert.equal(
    broadcasts[1]!.body,
    `<html><body><h1>Club</h1><p>{{ city }} {{ '{%' }} raw %} <a href="https://shop.example">Shop</a></p><a href="{{ unsubscribe_url }}">Leave</a></body></html>`,
  )
  await apply(await read())
  assert.deepEqual(await stateOf('monk.example'), state)
  assert.ok(listmonk.asked.every((one) => one.startsWith('GET ')))
})

test('what is no export, and an API that does not answer as listmonk, end with a sentence', async () => {
  const damaged = mailchimpArchive()
  damaged.fill(0xff, damaged.length - 200, damaged.length - 40)
  for (const [archive, fault] of [
    [Buffer.from('no archive'), /it is no ZIP archive/],
    [Buffer.alloc(0), /it is no ZIP archive/],
    [damaged, /it is damaged/],
    [zipOf({ 'a.txt': 'a' }), /no export of Mailchimp/],
  ] as const) {
    await assert.rejects(
      readMailchimp(archive),
      (error: Error) => error.name === 'MovingError' && fault.test(error.message),
    )
  }
  const [page] = (await readMailchimp(zipOf({ 'subscribed.csv': '\ufeffEmail Address\nä@move.example\n' }))).pages
  assert.match(page!.people[0]!.rows, /^ä@move\.example/)
  for (const [base, key, fault] of [
    [listmonk.url, 'api_user:wrong', /refuses the login/],
    [`${listmonk.url}/elsewhere`, LISTMONK_LOGIN, /answers .* with 404/],
    ['http://127.0.0.1:1', LISTMONK_LOGIN, /does not answer/],
  ] as const) {
    await assert.rejects(
      ask('listmonk', { base, key }),
      (error: Error) => fault.test(error.message) && !error.message.includes(key),
    )
  }
  const slipping = await startListmonk({ slips: true })
  await assert.rejects(
    ask('listmonk', { base: slipping.url, key: LISTMONK_LOGIN }).finally(() => slipping.close()),
    /are 9 subscribers and 8 were shown: they were changed while they were read/,
  )
  await assert.rejects(
    readFile('keila-file', Buffer.from('Email,Name\na@b.example,A\n')),
    /no file of contacts of Keila/,
  )
})

test('where people go while pages are read, the page before is read again and nobody is passed over', async () => {
  let items = [1, 2, 3, 4, 5, 6, 7]
  const part = numbered({
    what: 'numbers',
    ask: async (page) => ({ items: items.slice((page - 1) * 3, page * 3), total: items.length }),
    take: (found) => ({ leftOut: found.map((one) => ({ what: String(one), why: '' })) }),
  })
  const seen = new Set<string>()
  for (let place: string | null = ''; place !== null; ) {
    const { found, next } = await part(place)
    for (const { what } of found.leftOut ?? []) seen.add(what)
    if (seen.size === 3) items = items.filter((one) => one !== 2)
    place = next
  }
  assert.equal(seen.size, 7)
})

test('an account of Brevo comes in by its API: only what was agreed to is consent, and whoever is blocked stays so', async () => {
  const brevo = await startBrevo()
  after(() => brevo.close())
  const read = () => ask('brevo', { base: `${brevo.url}/v3`, key: BREVO_KEY })
  const moved = await read()
  const foreseen = foreseenOf(moved)
  assert.deepEqual(foreseen.people, { total: 7, withConsent: 3, withoutConsent: 3, files: ['contacts'] })
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 3, bounce: 1, complaint: 1, manual: 1 })
  assert.deepEqual(foreseen.tags, ['Cheese', 'Wine, "red"'])
  assert.deepEqual(foreseen.fields, ['birthday', 'city', 'civ', 'interests', 'sms', 'vip', 'visits'])
  assert.deepEqual([foreseen.templates, foreseen.broadcasts], [['Receipt'], ['Summer (Brevo 11)', 'Two (Brevo 12)']])
  assert.deepEqual(foreseen.leftOut.map(({ why, count }) => [why, count]).toSorted(), [
    ['email must be an email address', 1],
    ['has no counterpart here, and is gone from the text', 2],
    ['has no email address', 1],
    ['has no text in the answer of the API', 1],
    ['the tag of a list is given to those who are on it', 1],
    ['uses {% for item in params.items %}, {% endfor %}, which has no counterpart here', 1],
  ])
  const applied = await apply(moved)
  assert.deepEqual(applied.leftOut, [])
  const state = await stateOf('brevo.example')
  const of = (name: string) => state.people.find(({ email }) => email === `${name}@brevo.example`)!
  const meg = of('meg')
  assert.deepEqual(
    [meg.first, meg.last, meg.tags, meg.provenance, meg.optedIn, meg.confirmed],
    ['Meg', 'Brennon', ['Cheese', 'Wine, "red"'], 'imported', null, null],
  )
  assert.deepEqual(JSON.parse(String(meg.fields)), {
    ...{ birthday: '1986-05-02', city: 'New-York', civ: 'Ms', interests: ['wine', 'cheese'] },
    ...{ sms: '33612345678', vip: true, visits: 12 },
  })
  const [known] = await rows<{ subject: string }>(
    `select subject_id as subject from contacts where workspace_id = $1 and email = 'meg@brevo.example'`,
  )
  assert.equal(known!.subject, 'crm-1')
  assert.equal(Date.parse(String(of('dated').optedIn)), Date.UTC(2023, 4, 2))
  assert.deepEqual([of('partly').provenance, of('partly').tags], ['imported', ['Wine, "red"']])
  for (const name of ['listed', 'left', 'hard']) assert.equal(of(name).provenance, null, name)
  assert.equal(of('listed').first, '=Ada')
  assert.deepEqual(
    state.suppressed.map((one) => Object.values(one)),
    [
      ['admin@brevo.example', 'manual', 'Brevo: adminBlocked'],
      ['hard@brevo.example', 'bounce', 'Brevo: hardBounce'],
      ['spam@brevo.example', 'complaint', 'Brevo: contactFlaggedAsSpam'],
    ],
  )
  assert.deepEqual(
    state.unsubscribed.map((one) => Object.values(one)[0]),
    ['gone@brevo.example', 'hard@brevo.example', 'left@brevo.example'],
  )
  const [summer] = await rows<{ subject: string; body: string; status: string }>(
    `select subject, body, status from broadcasts where workspace_id = $1 and name = 'Summer (Brevo 11)'`,
  )
  assert.deepEqual([summer!.subject, summer!.status], ['Hi {{ first_name }}', 'draft'])
  assert.equal(
    summer!.body,
    `<html><body><a href="">Look</a><p>Hi {{ first_name | default: "friend" }} {literally}</p>
{% if city != blank %}<p>{{ city }}</p>{% endif %}<a href="{{ unsubscribe_url }}">Leave</a></body></html>`,
  )
  assert.deepEqual((await apply(await read())).optOuts, { added: 0, known: 6 })
  assert.deepEqual(await stateOf('brevo.example'), state)
  assert.ok(brevo.asked.every((one) => one.startsWith('GET ')))
  await assert.rejects(ask('brevo', { base: `${brevo.url}/v3`, key: 'wrong' }), /refuses the login for \/v3\/smtp/)
})

test('a project of Keila comes in by its API and by its file: nobody brings a consent that it does not show', async () => {
  const keila = await startKeila()
  after(() => keila.close())
  const read = () => ask('keila', { base: keila.url, key: KEILA_KEY })
  const moved = await read()
  const foreseen = foreseenOf(moved)
  assert.deepEqual([foreseen.people.total, foreseen.people.withConsent], [4, 0])
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 1, bounce: 1, complaint: 0, manual: 0 })
  assert.deepEqual(foreseen.leftOut.map(({ why }) => why).toSorted(), [
    'email must be an email address',
    "is made in Keila's own editor (hybrid)",
    'is written as markdown',
    'uses {% for book in campaign.data.books %}, which has no counterpart here',
  ])
  const applied = await apply(moved)
  assert.deepEqual([applied.leftOut, applied.templates.created, applied.broadcasts.created], [[], 1, 3])
  const state = await stateOf('keila.example')
  const jane = state.people.find(({ email }) => email === 'jane@keila.example')!
  assert.deepEqual([jane.first, jane.last, jane.provenance], ['Jane', 'Doe', null])
  assert.deepEqual(parseExactJson(String(jane.fields)), {
    ...{ account: LONG_NUMBER, city: 'Munich', interests: ['chess', 'books'], visits: 3 },
  })
  assert.deepEqual(
    [state.suppressed.map(({ reason }) => reason), state.unsubscribed.map(({ destination }) => destination)],
    [['bounce'], ['left@keila.example']],
  )
  const drafts = await rows<{ name: string; body: string; text: string | null }>(
    `select name, body, text from broadcasts where workspace_id = $1 and name like '%(Keila %' order by name`,
  )
  assert.deepEqual(
    drafts.map(({ name }) => name),
    [
      'html {{ contact.first_name }} (Keila mc_1)',
      'mjml {{ contact.first_name }} (Keila mc_5)',
      'text {{ contact.first_name }} (Keila mc_4)',
    ],
  )
  assert.equal(
    drafts[0]!.body,
    `<html><body><p>{{ city }} {{ '{{' }}{</p>\n<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p></body></html>`,
  )
  assert.equal(drafts[2]!.text, 'Hello {{ first_name }}, {{ unsubscribe_url }}')
  await apply(await read())
  assert.deepEqual(await stateOf('keila.example'), state)

  const fromFile = await readFile('keila-file', Buffer.from(KEILA_FILE))
  assert.deepEqual(foreseenOf(fromFile).optOuts, foreseen.optOuts)
  const again = await apply(fromFile)
  assert.deepEqual(
    again.people.map(({ created, failed }) => [created, failed]),
    [[0, 1]],
  )
  const stateThen = await stateOf('keila.example')
  assert.deepEqual([stateThen.people, stateThen.unsubscribed], [state.people, state.unsubscribed])
})

test('an account of Mailchimp comes in by its API: a confirmation counts where the audience asks for one', async () => {
  const chimp = await startMailchimp()
  after(() => chimp.close())
  const read = () => ask('mailchimp', { base: `${chimp.url}/3.0`, key: MAILCHIMP_KEY })
  const moved = await read()
  const foreseen = foreseenOf(moved)
  assert.deepEqual(foreseen.people, { total: 7, withConsent: 2, withoutConsent: 5, files: ['Club', 'News'] })
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 1, bounce: 1, complaint: 1, manual: 0 })
  assert.deepEqual(
    [foreseen.tags, foreseen.fields],
    [
      ['Club', 'News', 'VIP, gold'],
      ['address', 'birthday', 'plan'],
    ],
  )
  assert.deepEqual(foreseen.leftOut.map(({ why }) => why).toSorted(), [
    'has no counterpart here, and stands in the text as it is',
    'is a campaign of the kind rss',
    'is not shown by the API: the export of the account has it',
  ])
  await apply(moved)
  const state = await stateOf('chimp.example')
  const of = (name: string) => state.people.find(({ email }) => email === `${name}@chimp.example`)!
  const ada = of('ada')
  assert.deepEqual([ada.first, ada.tags, ada.ip], ['Ada', ['Club', 'VIP, gold'], '192.0.2.7'])
  assert.equal(Date.parse(String(ada.confirmed)), Date.UTC(2023, 4, 2, 9, 20))
  assert.deepEqual(JSON.parse(String(ada.fields)), {
    ...{ address: '1 Main St, Springfield, IL, 62701, US', birthday: '--12-10', plan: 7 },
  })
  assert.deepEqual(
    [of('single').provenance, of('single').confirmed, Date.parse(String(of('single').optedIn))],
    ['imported', null, Date.UTC(2023, 4, 2, 9, 20)],
  )
  for (const name of ['byhand', 'waiting', 'left', 'cleaned', 'shop']) assert.equal(of(name).provenance, null, name)
  assert.deepEqual(
    state.suppressed.map(({ destination, reason }) => [destination, reason]),
    [
      ['cleaned@chimp.example', 'bounce'],
      ['spam@chimp.example', 'complaint'],
    ],
  )
  assert.deepEqual(
    state.unsubscribed.map(({ destination }) => destination),
    ['left@chimp.example'],
  )
  const [spring] = await rows<{ body: string }>(
    `select body from broadcasts where workspace_id = $1 and name = 'Spring (Mailchimp k1)'`,
  )
  assert.match(spring!.body, /<p>\{\{ first_name \}\}, \{\{ plan \}\}, \*\|ARCHIVE\|\* \{\{ '\{\{' \}\} braces/)
  await apply(await read())
  assert.deepEqual(await stateOf('chimp.example'), state)
})
