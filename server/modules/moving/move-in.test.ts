import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LISTMONK_LOGIN, startListmonk } from '../../../test/support/listmonk-peer.ts'
import { mailchimpArchive } from '../../../test/support/mailchimp-archive.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { zipOf } from '../../../test/support/zip-archive.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { readTemplate } from '../templates/read-templates.ts'
import { foresee } from './foresee.ts'
import { readListmonk } from './listmonk.ts'
import { listmonkApi } from './listmonk-api.ts'
import { readMailchimp } from './mailchimp.ts'
import { moveIn } from './move-in.ts'
import type { Moved } from './moved.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const listmonk = await startListmonk()
after(() => listmonk.close())
const compiled = createCompiledCache()
// The thread that lays out is there: on a machine with much to do its start takes longer than a request may.
await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })
const deps = { sql: pool, pool, compiled }
const apply = (moved: Moved) => moveIn(deps, caller, moved)
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
  const suppressed = await rows(
    'select destination, reason, detail from suppressions where workspace_id = $1 and destination like $2 order by 1',
    [like],
  )
  const unsubscribed = await rows(
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
  const foreseen = foresee(moved)
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

test('an installation of listmonk comes in by its API: lists as tags, consent by what was confirmed', async () => {
  const read = () => readListmonk(listmonkApi(new URL(`${listmonk.url}/`), LISTMONK_LOGIN))
  const moved = await read()
  const foreseen = foresee(moved)
  assert.deepEqual([foreseen.people.total, foreseen.people.withConsent], [9, 4])
  assert.deepEqual(foreseen.optOuts, { unsubscribed: 1, bounce: 1, complaint: 0, manual: 1 })
  assert.deepEqual(
    [foreseen.tags, foreseen.fields],
    [
      ['News', 'Offers', 'Weekly, "best of"'],
      ['city', 'good', 'visits'],
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
  assert.deepEqual(JSON.parse(String(john.fields)), { city: 'Bengaluru', good: true, visits: 12 })
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
  const { csv } = (await readMailchimp(zipOf({ 'subscribed.csv': '\ufeffEmail Address\nä@move.example\n' }))).people[0]!
  assert.match(csv.toString('utf8'), /ä@move\.example/)
  await assert.rejects(readListmonk(listmonkApi(new URL(listmonk.url), 'api_user:wrong')), /refuses the login/)
  await assert.rejects(
    readListmonk(listmonkApi(new URL(`${listmonk.url}/elsewhere`), LISTMONK_LOGIN)),
    /answers .* with 404/,
  )
  await assert.rejects(readListmonk(listmonkApi(new URL('http://127.0.0.1:1'), LISTMONK_LOGIN)), /does not answer/)
  const slipping = await startListmonk({ slips: true })
  await assert.rejects(
    readListmonk(listmonkApi(new URL(slipping.url), LISTMONK_LOGIN)).finally(() => slipping.close()),
    /has 9 subscribers and showed 8: they were changed while they were read/,
  )
})
