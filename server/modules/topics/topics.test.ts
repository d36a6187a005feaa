import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { pressOnPage } from '../../../test/support/press-on-page.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { analyzeGrown, TABLES_WITH_FOREIGN_KEYS } from '../../platform/db/analyze-grown.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createBroadcast, updateBroadcast } from '../broadcasts/manage-broadcasts.ts'
import { forecastAudience } from '../broadcasts/run/audience.ts'
import { confirmPages } from '../confirmations/confirm-pages.ts'
import { confirmationSource, confirmPath } from '../confirmations/confirmation-source.ts'
import { listContactTopics, setContactTopic } from '../confirmations/contact-topics.ts'
import type { RequestRow } from '../confirmations/queries.ts'
import { listConsents } from '../consents/list-consents.ts'
import { createContact } from '../contacts/create-contact.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { createSegment, deleteSegment } from '../segments/manage-segments.ts'
import { segmentMembers } from '../segments/segment-members.ts'
import { segmentsNamingTopic } from '../segments/segments-naming.ts'
import { planMessages } from '../sending/ledger/plan-messages.ts'
import type { ClaimedMessage, MessageContent } from '../sending/message-source.ts'
import { openStream } from '../sending/streams.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { createMessageLinks } from '../tracking/message-links.ts'
import { unsubscribeLinkRoutes } from '../unsubscribes/link-pages.ts'
import { createUnsubscribe } from '../unsubscribes/manage-unsubscribes.ts'
import { dropTopic } from './drop-topic.ts'
import { createTopic, deleteTopic, readTopic, updateTopic } from './manage-topics.ts'
import { subscribeImported } from './subscribe-imported.ts'
import { markTopicDeleted, topicForChange } from './topic-queries.ts'
import { topicSource } from './topics-of-person.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, usedBy: segmentsNamingTopic }
await migrateJobs(pool, ['default'])
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
await keys.ready()
const app = quietServer({ trustProxy: true, https: true })
unsubscribeLinkRoutes(app, { sql: pool, keys })
confirmPages(app, { sql: pool, keys })
await app.ready()
after(() => app.close())

const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const maker = createMessageLinks({ keys, baseUrl: new URL('https://mail.example.com/') })
const form = (body: string) => ({ payload: body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })

/** Entries of a contact's history, from the first on. */
async function historyOf(contactId: string): Promise<string[]> {
  const { items } = await listConsents(pool, workspaceId, { contactId, page: 1, pageSize: 25 })
  return items.map(({ change, byWhom, sendingSource }) => `${change} ${byWhom} ${sendingSource}`).reverse()
}

let made = 0
const contact = async () => createContact(deps, caller, { email: `p${++made}@example.com` })
const topic = (body: object = {}) => createTopic(deps, caller, { name: `Topic ${++made}`, ...body })
const choose = (contactId: string, topicId: string, state: 'subscribed' | 'unsubscribed') =>
  setContactTopic(deps, caller, { contactId, topicId, state })

/** Plans a broadcast of a topic for contacts; what became of each, by the ledger and by the forecast. */
async function planned(topicId: string | null, contactIds: readonly string[]) {
  const source = { kind: 'broadcast', id: String(++made) } as const
  await inTransaction(pool, workspaceId, async (tx) => {
    const { streamId } = await openStream(tx, workspaceId, source)
    const plan = {
      workspaceId,
      source,
      purpose: 'marketing',
      createdAt: new Date().toISOString(),
      streamId,
      topicId,
    } as const
    await planMessages(
      tx,
      plan,
      contactIds.map((contactId) => ({ contactId, dueAt: null })),
    )
  })
  const rows = await query<{ id: string; contactId: string; fate: string }>(
    `select id, contact_id as "contactId", coalesce(reason, state) as fate from messages
     where workspace_id = $1 and source_id = $2 order by contact_id`,
    [source.id],
  )
  return rows
}
const fates = async (topicId: string | null, contactIds: readonly string[]) =>
  (await planned(topicId, contactIds)).map(({ fate }) => fate)

test('a topic for everyone goes to all but those who said no; one by opt-in only to those who said yes', async () => {
  const [yes, no, silent, left] = [await contact(), await contact(), await contact(), await contact()]
  const all = [yes, no, silent, left].map(({ id }) => id)
  const open = await topic()
  const closed = await topic({ subscription: 'opt_in', visibility: 'private' })
  for (const { id } of [open, closed]) {
    await choose(yes.id, id, 'subscribed')
    await choose(no.id, id, 'unsubscribed')
  }
  await createUnsubscribe(deps, caller, { destination: left.email!, sendingSource: 'broadcasts' })
  const out = 'unsubscribed_source'
  assert.deepEqual(await fates(open.id, all), ['pending', out, 'pending', out])
  assert.deepEqual(await fates(closed.id, all), ['pending', out, 'not_subscribed', out])
  assert.deepEqual(await fates(null, all), ['pending', 'pending', 'pending', out])
  await choose(left.id, closed.id, 'subscribed')
  assert.deepEqual(
    await fates(closed.id, [left.id]),
    ['pending'],
    'a yes to it counts more than a no to newsletters before',
  )
  await updateTopic(deps, caller, { id: closed.id, change: { subscription: 'everyone' } })
  assert.deepEqual(await fates(closed.id, [silent.id]), ['pending'])
})

test('the forecast of a broadcast of a topic counts as the ledger will', async () => {
  const people = [await contact(), await contact(), await contact()]
  const { id: topicId } = await topic({ subscription: 'opt_in' })
  await choose(people[0]!.id, topicId, 'subscribed')
  await choose(people[1]!.id, topicId, 'unsubscribed')
  const audience = { segmentIds: [], excludedSegmentIds: [], topicId, timeoutMs: 60_000 }
  const counts = await inTransaction(pool, workspaceId, (tx) => forecastAudience(tx, workspaceId, audience))
  const everybody = await query<{ id: string }>('select id from contacts where workspace_id = $1')
  const ledger = await fates(
    topicId,
    everybody.map(({ id }) => id),
  )
  const countOf = (fate: string) => ledger.filter((one) => one === fate).length
  const forecast = Object.fromEntries(counts.map(({ refusal, count }) => [refusal ?? 'pending', Number(count)]))
  assert.deepEqual(forecast, {
    pending: 1,
    'skipped:not_subscribed': countOf('not_subscribed'),
    'skipped:unsubscribed_source': countOf('unsubscribed_source'),
  })
})

test('one click ends a topic and nothing else, and the preference page chooses among public ones', async () => {
  const ada = await contact()
  const offers = await topic({ name: 'Offers & more', description: 'Twice a month.' })
  const news = await topic({ name: 'Product news', subscription: 'opt_in' })
  const hidden = await topic({ name: 'Insiders', visibility: 'private', subscription: 'opt_in' })
  const [message] = await planned(offers.id, [ada.id])
  const link = { workspaceId, messageId: message!.id, contactId: ada.id, destination: ada.email! }
  const urls = maker.of({ ...link, sendingSource: `topic:${offers.id}` })
  const unsubscribeAt = new URL(urls.unsubscribeUrl).pathname
  const page = await app.inject({ method: 'GET', url: unsubscribeAt })
  assert.match(page.body, /sends this to <span class="whole">p.?…@example\.com<\/span>: Offers &amp; more\./)
  await app.inject({ method: 'POST', url: unsubscribeAt, ...form('List-Unsubscribe=One-Click') })
  assert.deepEqual(await fates(offers.id, [ada.id]), ['unsubscribed_source'])
  assert.deepEqual(await fates(null, [ada.id]), ['pending'])
  const preferences = new URL(urls.preferencesUrl).pathname
  const choices = (await app.inject({ method: 'GET', url: preferences })).body
  assert.match(choices, /Product news/)
  assert.match(choices, /Twice a month\./)
  assert.doesNotMatch(choices, /Insiders/)
  await app.inject({ method: 'POST', url: preferences, ...form(`topic%3A${news.id}=on&broadcasts=on`) })
  const states = await listContactTopics(deps, workspaceId, ada.id)
  const of = (id: string) => states.find(({ topicId }) => topicId === id)
  assert.deepEqual([of(news.id)?.state, of(news.id)?.wanted], ['subscribed', true])
  assert.deepEqual([of(offers.id)?.state, of(offers.id)?.wanted], ['unsubscribed', false])
  assert.deepEqual([of(hidden.id)?.state, of(hidden.id)?.wanted], ['default', false])
  const said = (id: string, change: string) => `${change} person ${topicSource(id)}`
  const told = (await historyOf(ada.id)).filter((line) =>
    [offers.id, news.id].some((id) => line.endsWith(topicSource(id))),
  )
  assert.deepEqual(told, [said(offers.id, 'unsubscribed'), said(news.id, 'confirmed')])
  await app.inject({ method: 'POST', url: preferences, ...form(`topic%3A${news.id}=on&broadcasts=on`) })
  assert.equal((await historyOf(ada.id)).filter((line) => line.endsWith(topicSource(news.id))).length, 1, 'said once')
  const silent = await query<{ n: number }>(
    `select count(*)::int as n from unsubscribes where workspace_id = $1 and sending_source = $2`,
    [`topic:${hidden.id}`],
  )
  assert.equal(silent[0]?.n, 0, 'nobody need leave what they never had')
})

test('a topic that a draft is of stays, and segments know who has subscribed', async () => {
  const { id: topicId } = await topic({ subscription: 'opt_in' })
  const [ada] = [await contact(), await contact()]
  await choose(ada.id, topicId, 'subscribed')
  const draft = await createBroadcast(deps, caller, { name: 'News', topicId })
  assert.equal(draft.topicId, topicId)
  await assert.rejects(deleteTopic(deps, caller, { id: topicId }), {
    code: 'in-use',
    usedBy: [{ type: 'broadcast', id: draft.id, name: 'News' }],
  })
  await assert.rejects(createBroadcast(deps, caller, { name: 'x', topicId: '900000000' }), { code: 'unprocessable' })
  const rules = { combinator: 'and', rules: [{ field: 'topic', operator: 'has', value: topicId }] }
  const segment = await createSegment(deps, caller, { name: 'Readers', definition: JSON.stringify(rules) })
  const members = await inTransaction(pool, workspaceId, (tx) => segmentMembers(tx, workspaceId, { id: segment.id }))
  assert.ok(members)
  const preview = await query<{ id: string }>(
    'select contact_id as id from topic_subscriptions where workspace_id = $1 and topic_id = $2',
    [topicId],
  )
  assert.deepEqual(preview, [{ id: ada.id }])
  await query(`update broadcasts set status = 'failed', ended_at = now() where workspace_id = $1 and id = $2`, [
    draft.id,
  ])
  const uses = [
    { type: 'broadcast', id: draft.id, name: 'News' },
    { type: 'segment', id: segment.id, name: 'Readers' },
  ]
  await assert.rejects(deleteTopic(deps, caller, { id: topicId }), { code: 'in-use', usedBy: uses }, 'it may go on')
  await query(`update broadcasts set status = 'draft', ended_at = null where workspace_id = $1 and id = $2`, [draft.id])
  await updateBroadcast(deps, caller, { id: draft.id, change: { topicId: null } })
  await assert.rejects(deleteTopic(deps, caller, { id: topicId }), { code: 'in-use', usedBy: uses.slice(1) })
  await deleteSegment({ sql: pool }, caller, { id: segment.id })
  await deleteTopic(deps, caller, { id: topicId })
})

/** The paths of the links in a message of a topic. */
async function linksOf(person: { id: string; email: string | null }, topicId: string) {
  const [message] = await planned(topicId, [person.id])
  const link = { workspaceId, messageId: message!.id, contactId: person.id, destination: person.email! }
  const urls = maker.of({ ...link, sendingSource: `topic:${topicId}` })
  return { unsubscribe: new URL(urls.unsubscribeUrl).pathname, preferences: new URL(urls.preferencesUrl).pathname }
}

test('who wanted nothing and ticks one kind of mail gets that one alone', async () => {
  for (const sendingSource of ['everything', 'broadcasts']) {
    const ada = await contact()
    const [ticked, other, asked, unasked] = [
      await topic(),
      await topic(),
      await topic({ subscription: 'opt_in' }),
      await topic({ subscription: 'opt_in' }),
    ]
    await choose(ada.id, asked.id, 'subscribed')
    const { preferences } = await linksOf(ada, ticked.id)
    await createUnsubscribe(deps, caller, { destination: ada.email!, sendingSource })
    const answer = await pressOnPage(app, { url: preferences, ...form(`topic%3A${ticked.id}=on`) })
    assert.equal(answer.statusCode, 200)
    const got: string[] = []
    for (const { id } of [ticked, other, asked, unasked]) got.push(...(await fates(id, [ada.id])))
    const out = 'unsubscribed_source'
    assert.deepEqual(got, ['pending', out, out, out], sendingSource)
    const states = await listContactTopics(deps, workspaceId, ada.id)
    assert.equal(states.find(({ topicId }) => topicId === unasked.id)?.state, 'default')
  }
})

test('a no to newsletters takes back the yes to topics for everyone before it, and not after it', async () => {
  const ada = await contact()
  const [open, closed] = [await topic(), await topic({ subscription: 'opt_in' })]
  await choose(ada.id, open.id, 'subscribed')
  await choose(ada.id, closed.id, 'subscribed')
  await createUnsubscribe(deps, caller, { destination: ada.email!, sendingSource: 'broadcasts' })
  assert.deepEqual(await fates(open.id, [ada.id]), ['unsubscribed_source'])
  assert.deepEqual(await fates(closed.id, [ada.id]), ['pending'])
  await choose(ada.id, open.id, 'subscribed')
  assert.deepEqual(await fates(open.id, [ada.id]), ['pending'])
  await createUnsubscribe(deps, caller, { destination: ada.email!, sendingSource: 'broadcasts' })
  assert.deepEqual(await fates(open.id, [ada.id]), ['unsubscribed_source'], 'the last word counts')
})

test('who leaves a topic that is no more leaves the newsletters', async () => {
  const ada = await contact()
  const { id } = await topic()
  const { unsubscribe } = await linksOf(ada, id)
  await deleteTopic(deps, caller, { id })
  const looked = async () => (await app.inject({ url: unsubscribe })).body
  assert.match(await looked(), /<button/)
  const page = await app.inject({ method: 'POST', url: unsubscribe, ...form('List-Unsubscribe=One-Click') })
  assert.match(page.body, /newsletters/i)
  assert.deepEqual(await fates(null, [ada.id]), ['unsubscribed_source'])
  assert.doesNotMatch(await looked(), /<button/, 'there is nothing left to press')
})

test('a merge keeps what both have said yes to, unless the address that stays has said no since', async () => {
  const [ada, bob] = [await contact(), await contact()]
  const [open, closed, refused] = [await topic(), await topic({ subscription: 'opt_in' }), await topic()]
  await choose(bob.id, open.id, 'subscribed')
  await choose(bob.id, closed.id, 'subscribed')
  await choose(ada.id, closed.id, 'subscribed')
  await choose(bob.id, refused.id, 'subscribed')
  await choose(ada.id, refused.id, 'unsubscribed')
  await mergeContacts({ sql: pool, enqueueSweep: async () => undefined }, caller, { id: ada.id, otherId: bob.id })
  const { topics } = await exportPerson({ ...deps, forms: NO_FORMS }, caller, { id: ada.id })
  assert.deepEqual(
    topics.map(({ topicId, byWhom }) => [topicId, byWhom]),
    [open, closed].map(({ id }) => [id, 'workspace']),
  )
})

test('a workspace has as many topics as a page of readers shows, and no more', async () => {
  const other = callerOf(await createWorkspace(pool))
  await queryInScope(pool, other.workspaceId, {
    text: `insert into topics (workspace_id, name, visibility, subscription)
      select $1, 'Topic ' || n, 'public', 'everyone' from generate_series(1, 199) n`,
    values: [other.workspaceId],
  })
  const ends = await Promise.allSettled(['a', 'b', 'c'].map((name) => createTopic(deps, other, { name })))
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(createTopic(deps, other, { name: 'd' }), { code: 'limit-reached', message: /200/ })
})

/** A workspace that mails only who has agreed, with a topic that asks for confirmations. */
async function confirmedTopic(body: object = {}) {
  await query('insert into sending_settings (workspace_id, double_opt_in) values ($1, true)')
  return topic({ subscription: 'opt_in', doubleOptIn: true, ...body })
}
const stateOf = async (contactId: string, topicId: string) =>
  (await listContactTopics(deps, workspaceId, contactId)).find((one) => one.topicId === topicId)?.state
const requestsOf = (contactId: string) =>
  query<RequestRow>(
    `select id, requested_at as "requestedAt", message_id as "messageId" from confirmation_requests
     where workspace_id = $1 and contact_id = $2 order by id`,
    [contactId],
  )

test('a topic with double opt-in has its people asked, and a yes to it is a yes to nothing else', async (t) => {
  t.after(() => query('delete from sending_settings where workspace_id = $1'))
  const news = await confirmedTopic({ name: 'Asked <news>' })
  const ada = await contact()
  await createUnsubscribe(deps, caller, { destination: ada.email!, sendingSource: topicSource(news.id) })
  for (const _ of ['asks', 'asks no more for ten minutes']) {
    assert.deepEqual((await choose(ada.id, news.id, 'subscribed')).state, 'pending')
  }
  assert.deepEqual(await fates(news.id, [ada.id]), ['unsubscribed_source'], 'the no stands until then')
  const [request, ...more] = await requestsOf(ada.id)
  assert.deepEqual(more, [])
  const source = confirmationSource({ keys, baseUrl: new URL('https://mail.example.com/'), ofForms: async () => [] })
  const message = { workspaceId, id: request!.messageId, destination: ada.email } as ClaimedMessage
  const sender = { email: 'hello@shop.example', name: null }
  const { contentOf } = await inTransaction(pool, workspaceId, (tx) =>
    source.prepare(tx, { workspaceId, messages: [message], sender }),
  )
  const { subject, html } = (await contentOf(message)) as MessageContent
  assert.match(subject, /\(Asked <news>\)$/)
  assert.match(String(html), /\(Asked &lt;news&gt;\)/)
  const url = `/${confirmPath(keys.current(), workspaceId, request!)}`
  assert.match((await app.inject({ url })).body, /\(Asked &lt;news&gt;\)/)
  assert.equal(await stateOf(ada.id, news.id), 'pending', 'looking confirms nothing')
  assert.match((await pressOnPage(app, { url })).body, /Thank you/)
  assert.equal(await stateOf(ada.id, news.id), 'subscribed')
  assert.deepEqual(await fates(news.id, [ada.id]), ['pending'])
  assert.deepEqual(await fates(null, [ada.id]), ['unconfirmed'], 'it is no consent to other mail')
  const audience = { segmentIds: [], excludedSegmentIds: [], topicId: news.id, timeoutMs: 60_000 }
  const forecast = await inTransaction(pool, workspaceId, (tx) => forecastAudience(tx, workspaceId, audience))
  assert.equal(Number(forecast.find(({ refusal }) => refusal === null)?.count), 1)
  const about = topicSource(news.id)
  assert.deepEqual(
    new Set(await historyOf(ada.id)),
    new Set(
      ['confirmed person', 'resubscribed person', 'requested workspace', 'unsubscribed workspace'].map(
        (word) => `${word} ${about}`,
      ),
    ),
  )
})

test('who wants nothing gets nothing by the link of a topic, whenever that was said', async (t) => {
  t.after(() => query('delete from sending_settings where workspace_id = $1'))
  const news = await confirmedTopic()
  const [ada, bob] = [await contact(), await contact()]
  const sayNo = (person: typeof ada) =>
    createUnsubscribe(deps, caller, { destination: person.email!, sendingSource: 'everything' })
  await choose(ada.id, news.id, 'subscribed')
  await sayNo(ada)
  assert.equal(await stateOf(ada.id, news.id), 'default', 'a no since ends the question')
  await sayNo(bob)
  await choose(bob.id, news.id, 'subscribed')
  for (const { id, email } of [ada, bob]) {
    const [request] = await requestsOf(id)
    const url = `/${confirmPath(keys.current(), workspaceId, request!)}`
    assert.match((await app.inject({ url })).body, /does not work/)
    assert.match((await app.inject({ method: 'POST', url })).body, /does not work/)
    assert.deepEqual(await fates(news.id, [id]), ['unsubscribed_everything'])
    const said = await query('select sending_source from unsubscribes where workspace_id = $1 and destination = $2', [
      email,
    ])
    assert.deepEqual(said, [{ sending_source: 'everything' }], 'automations have no way around it')
  }
})

test('a question about a topic is taken back, ends with the topic, and is not needed on the preference page', async (t) => {
  t.after(() => query('delete from sending_settings where workspace_id = $1'))
  const news = await confirmedTopic()
  await assert.rejects(updateTopic(deps, caller, { id: news.id, change: { subscription: 'everyone' } }), {
    code: 'unprocessable',
  })
  await assert.rejects(topic({ doubleOptIn: true }), { code: 'unprocessable' })
  const nobody = await createContact(deps, caller, { subjectId: 'no-address' })
  await assert.rejects(choose(nobody.id, news.id, 'subscribed'), { code: 'unprocessable' })
  const [ada, bob, eve] = [await contact(), await contact(), await contact()]
  const linkTo = async (contactId: string) => {
    await choose(contactId, news.id, 'subscribed')
    return `/${confirmPath(keys.current(), workspaceId, (await requestsOf(contactId))[0]!)}`
  }
  const links = { ada: await linkTo(ada.id), bob: await linkTo(bob.id) }
  assert.equal((await choose(ada.id, news.id, 'unsubscribed')).state, 'unsubscribed')
  assert.match((await app.inject({ method: 'POST', url: links.ada })).body, /does not work/)
  const { preferences } = await linksOf(eve, (await topic()).id)
  await app.inject({ method: 'POST', url: preferences, ...form(`topic%3A${news.id}=on`) })
  assert.deepEqual(await fates(news.id, [ada.id, bob.id, eve.id]), ['unsubscribed_source', 'not_subscribed', 'pending'])
  await deleteTopic(deps, caller, { id: news.id })
  assert.match((await app.inject({ method: 'POST', url: links.bob })).body, /does not work/)
})

test('an import subscribes to a topic with double opt-in only who has confirmed', async () => {
  const news = await topic({ subscription: 'opt_in', doubleOptIn: true })
  const [ada, bob] = [await contact(), await contact()]
  const told = await inTransaction(pool, workspaceId, (tx) =>
    subscribeImported(tx, workspaceId, [
      { contactId: ada.id, topicIds: [news.id], isConfirmed: false },
      { contactId: bob.id, topicIds: [news.id, news.id], isConfirmed: true },
    ]),
  )
  assert.deepEqual([await stateOf(ada.id, news.id), await stateOf(bob.id, news.id)], ['default', 'subscribed'])
  assert.deepEqual(told, [{ contactId: bob.id, topicId: news.id }])
})

test('a yes that the workspace tells of is in the history once, by itself or by the no that it takes back', async () => {
  const news = await topic({ subscription: 'opt_in' })
  const ada = await contact()
  for (const state of ['subscribed', 'subscribed', 'unsubscribed', 'subscribed'] as const)
    await setContactTopic(deps, caller, { contactId: ada.id, topicId: news.id, state })
  const changes = ['imported', 'unsubscribed', 'resubscribed']
  assert.deepEqual(
    await historyOf(ada.id),
    changes.map((change) => `${change} workspace ${topicSource(news.id)}`),
  )
})

test('a topic that very many want is gone at once, its name free, and their yeses go in steps', async () => {
  const many = 6_000
  const { id, name } = await topic({ visibility: 'private', subscription: 'opt_in' })
  const reader = await contact()
  await choose(reader.id, id, 'subscribed')
  await query(
    `insert into contacts (workspace_id, email) select $1, 'many-' || n || '@many.example' from generate_series(1, ${many}) n`,
  )
  await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS)
  await query(
    `insert into topic_subscriptions (workspace_id, topic_id, contact_id, by_whom)
     select $1, $2, id, 'person' from contacts where workspace_id = $1 and email like 'many-%'`,
    [id],
  )
  await deleteTopic(deps, caller, { id })
  await assert.rejects(readTopic(deps, workspaceId, id), { code: 'not-found' })
  assert.equal(await stateOf(reader.id, id), undefined)
  assert.deepEqual(await fates(id, [reader.id]), ['not_subscribed'])
  const again = await createTopic(deps, caller, { name })
  assert.notEqual(again.id, id)
  const yeses = async () => {
    const [row] = await query<{ n: number }>(
      'select count(*)::int as n from topic_subscriptions where workspace_id = $1 and topic_id = $2',
      [id],
    )
    return row!.n
  }
  const left = [await yeses()]
  assert.equal(left[0], many + 1, 'none went with the topic')
  while ((await dropTopic(pool, { workspaceId, topicId: id }, () => true)) === 'more') left.push(await yeses())
  assert.ok(
    left.slice(1).every((n, at) => left[at]! - n <= 5_000),
    left.join(),
  )
  assert.deepEqual(await query('select from topics where workspace_id = $1 and id = $2', [id]), [])
})

test('the mail that asks for a yes is not sent any more once the topic is declined', async (t) => {
  t.after(() => query('delete from sending_settings where workspace_id = $1'))
  const news = await confirmedTopic({ name: 'Declined' })
  const ada = await contact()
  await choose(ada.id, news.id, 'subscribed')
  const [request] = await requestsOf(ada.id)
  await choose(ada.id, news.id, 'unsubscribed')
  const [mail] = await query('select state, reason from messages where workspace_id = $1 and id = $2', [
    request!.messageId,
  ])
  assert.deepEqual(mail, { state: 'skipped', reason: 'canceled' })
})

test('a yes to a topic that is deleted meanwhile is told that there is no such topic', async () => {
  const { id: topicId } = await createTopic({ sql: pool }, caller, { name: 'Short-lived' })
  const { id: contactId } = await createContact({ sql: pool }, caller, { subjectId: 'late' })
  const deleting = await openTransaction(
    pool,
    async (tx) => {
      await topicForChange(tx, workspaceId, topicId)
      await markTopicDeleted(tx, workspaceId, topicId)
    },
    workspaceId,
  )
  const said = setContactTopic({ sql: pool }, caller, { contactId, topicId, state: 'subscribed' })
  said.catch(() => undefined)
  await somebodyWaits(pool)
  await deleting.commit()
  await assert.rejects(said, { statusCode: 404 })
})
