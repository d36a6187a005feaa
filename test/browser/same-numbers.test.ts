import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { BODY, draftsOf, EMPTY } from './automation-edits.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openRelayedWorld } from './relayed-world.ts'
import { settled, type World } from './world.ts'

/* What one page says of mail and people is what the others say: no share is more than all, and nobody goes missing between two sums. */

const skip = WITHOUT_BROWSER
let world: World
let relay: SmtpPeer
before(async () => {
  if (skip) return
  relay = await startSmtpPeer({
    authOptional: true,
    onRcptTo({ address }, _session, done) {
      const code = address.startsWith('gone') ? 550 : address.startsWith('busy') ? 451 : undefined
      if (code === undefined) done()
      else done(Object.assign(new Error(code === 550 ? '5.1.1 No such user' : '4.2.1 Later'), { responseCode: code }))
    },
  })
  world = await openRelayedWorld(relay)
})
after(async () => {
  await world?.close()
  await relay?.close()
})

const { made } = draftsOf(() => world)
const rowOf = (page: Page, table: string, name: RegExp) =>
  page.getByRole('table', { name: table }).getByRole('row', { name })

async function added(...emails: string[]): Promise<string[]> {
  const { json } = await world.site('POST', '/contacts/batch', { contacts: emails.map((email) => ({ email })) })
  return json.results.map(({ contactId }: { contactId: string }) => contactId)
}

/** A broadcast to those whose address ends so, on its way. */
async function sent(name: string, domain: string): Promise<string> {
  const definition = { combinator: 'and', rules: [{ field: 'email', operator: 'endsWith', value: `@${domain}` }] }
  const segment = await world.site('POST', '/segments', { name: domain, definition: JSON.stringify(definition) })
  const content = { name, subject: 'News', body: BODY, segmentId: segment.json.id }
  const { json } = await world.site('POST', '/broadcasts', content)
  await world.site('POST', `/broadcasts/${json.id}/send`)
  return json.id
}

const reportOf = async (id: string) => (await world.site('GET', `/broadcasts/${id}/report`)).json
const accounted = (id: string, what: string, holds: (report: Record<string, number>) => boolean) =>
  eventually(what, async () => holds(await reportOf(id)))

test('mail of automations is told by the name of its automation, leads to it, and says what it said', {
  skip,
}, async () => {
  const id = await made('Welcome to the tea', {
    ...EMPTY,
    start: 'hello',
    nodes: { hello: { type: 'email', subject: 'Hello', body: BODY, to: 'end' } },
  })
  await world.site('POST', `/automations/${id}/activate`)
  const [contactId] = await added('ada@series.example')
  await world.site('POST', `/automations/${id}/enroll`, { contactIds: [contactId] })
  const listed = async () => (await world.site('GET', '/messages?destination=ada@series.example')).json.items
  await eventually('she is mailed', async () => (await listed())[0]?.status === 'sent')
  const { page, faults, close } = await world.open('/app/default/messages?surface=automation')
  const row = rowOf(page, 'Messages', /ada@series/)
  await row.getByText('Welcome to the tea').waitFor()
  await row.getByRole('link', { name: 'ada@series.example' }).click()
  await page.getByRole('heading', { level: 1, name: 'ada@series.example' }).waitFor()
  await page.locator('main header').getByText('Welcome to the tea').waitFor()
  const said = page.frameLocator('iframe[title="What it says"]')
  await said.getByText('Hello.').waitFor()
  await page.locator('dl').getByRole('link', { name: 'Welcome to the tea' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome to the tea' }).waitFor()
  await page.goto(`${world.instance.baseUrl}/app/default/contacts/${contactId}`)
  const message = page.getByRole('listitem').filter({ hasText: 'Why did they get it?' })
  await message.getByText('Welcome to the tea').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('the mail of a merged person has both that two contacts got of one broadcast', { skip }, async () => {
  const [stays, goes] = await added('one@twice.example', 'two@twice.example')
  const id = await sent('Twice', 'twice.example')
  await accounted(id, 'both are mailed', ({ acceptedCount }) => acceptedCount === 2)
  await world.site('POST', `/contacts/${stays}/merge`, { contactId: goes })
  const { json } = await world.site('GET', '/messages?destination=one@twice.example')
  const addresses = json.items.map(({ destination }: { destination: string }) => destination)
  assert.deepEqual(addresses.sort(), ['one@twice.example', 'two@twice.example'])
  const { page, close } = await world.open(`/app/default/contacts/${stays}`)
  await page.getByRole('listitem').getByText('Twice').first().waitFor()
  assert.equal(await page.getByRole('listitem').getByText('Twice').count(), 2)

  // What they do with the second one is theirs too, once nothing of the other contact is left to be moved.
  await eventually('the merge is through', async () => {
    const merged = await world.instance.sql<{ state: string }>(
      'select state from contact_merges where merged_id = $1',
      [goes],
    )
    return merged[0]?.state === 'done'
  })
  const second = relay.messages.find((message) => message.includes('To: two@twice.example')) ?? ''
  const links = second.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const linkOf = (path: string) => new RegExp(`http://[^"]+/e/${path}/[\\w-]+`).exec(links)![0]
  await fetch(linkOf('o'))
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  assert.equal((await fetch(linkOf('u'), { method: 'POST', body })).status, 200)
  const told = async () => {
    const events = (await world.site('GET', `/contacts/${stays}/events?limit=20`)).json.items
    return events.map(({ type }: { type: string }) => type)
  }
  await eventually('they are told of', async () => {
    const types = await told()
    return ['email.opened', 'email.unsubscribed'].every((type) => types.includes(type))
  })
  await page.goto(`${world.instance.baseUrl}/app/default/broadcasts/${id}?tab=recipients`)
  await page.getByRole('link', { name: 'two@twice.example' }).click()
  await page.getByRole('heading', { level: 1, name: 'one@twice.example' }).waitFor()
  await close()
})

test('a first broadcast counts as sent while the last of its people are waited for, and says until when', {
  skip,
}, async () => {
  await added('ada@waits.example', 'busy@waits.example')
  const id = await sent('Waits', 'waits.example')
  await accounted(id, 'one is accepted', ({ acceptedCount }) => acceptedCount === 1)
  assert.equal((await reportOf(id)).status, 'sending')
  const { page, close } = await world.open('/app/default')
  await settled(page)
  await page.getByRole('listitem').filter({ hasText: 'Send a broadcast, done' }).waitFor()
  await page.goto(`${world.instance.baseUrl}/app/default/broadcasts/${id}`)
  await page.getByText(/The next message is due later\. It goes (in|just).*\(451 4\.2\.1 Later\)/).waitFor()
  await close()
})

test('addresses that are refused at once have come back, and are no share of the mail that was accepted', {
  skip,
}, async () => {
  await added('ada@small.example', 'gone1@small.example', 'gone2@small.example', 'gone3@small.example')
  const id = await sent('Small', 'small.example')
  await accounted(id, 'all have bounced', ({ bouncedCount }) => bouncedCount === 3)
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  const bounced = page.locator('dl > div').filter({ has: page.getByText('Bounced', { exact: true }) })
  await bounced.getByText('3 messages').waitFor()
  assert.deepEqual(await bounced.locator('dd').allInnerTexts(), ['75 %', '3 messages'])
  await page.goto(`${world.instance.baseUrl}/app/default`)
  await settled(page)
  assert.deepEqual(await bounced.locator('dd').allInnerTexts(), ['3', 'Before: 0'])
  const { accepted } = (await world.site('GET', '/overview')).json.totals
  await page
    .getByRole('region', { name: 'Reputation' })
    .getByRole('row', { name: /sender\.example/ })
    .getByText(`3 of ${accepted + 3}`)
    .waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('who was taken along to another step has come to it, and a step that is no more keeps its name', {
  skip,
}, async () => {
  const resting = (node: string, days: number) => ({
    ...EMPTY,
    start: node,
    nodes: { [node]: { type: 'delay', days, to: 'end' } },
  })
  const id = await made('Taken elsewhere', resting('n1', 2))
  await world.site('POST', `/automations/${id}/activate`)
  const contactIds = await added('ada@moved.example', 'bob@moved.example')
  await world.site('POST', `/automations/${id}/enroll`, { contactIds })
  const standAt = (node: string) =>
    eventually(`both stand at ${node}`, async () =>
      (await world.site('GET', `/automations/${id}/counts`)).json.nodes.some(
        (one: { node: string; here: number }) => one.node === node && one.here === 2,
      ),
    )
  await standAt('n1')
  await world.site('PATCH', `/automations/${id}`, { definition: resting('n2', 3) })
  await world.site('POST', `/automations/${id}/publish`, { inside: 'stay' })
  const { page, faults, close } = await world.open(`/app/default/automations/${id}`)
  // Here now, came, went on, ended.
  const cellsOf = async (name: RegExp) =>
    (await rowOf(page, 'Steps', name).getByRole('cell').allInnerTexts()).slice(1).map(Number)
  await rowOf(page, 'Steps', /Wait: 2 days/).waitFor()
  assert.deepEqual(await cellsOf(/Wait: 2 days/), [2, 2, 0, 0])
  const ways = page.getByRole('table', { name: '2 ways through it' })
  await ways.getByText('Wait: 2 days').nth(1).waitFor()
  await rowOf(page, 'Steps', /Wait: 2 days/)
    .getByRole('link')
    .click()
  await page.getByText('At Wait: 2 days', { exact: true }).waitFor()
  await world.site('POST', `/automations/${id}/publish`, { inside: 'move', map: { n1: 'n2' } })
  await standAt('n2')
  await page.goto(`${world.instance.baseUrl}/app/default/automations/${id}`)
  await ways.getByText('Wait: 3 days').nth(1).waitFor()
  assert.deepEqual(await cellsOf(/^Wait/), [2, 2, 0, 0])
  assert.deepEqual(faults, [])
  await close()
})

test('who comes in while a page is open is at once in its results too', { skip }, async () => {
  const id = await made('Comes in', { ...EMPTY, start: 'n1', nodes: { n1: { type: 'delay', days: 2, to: 'end' } } })
  await world.site('POST', `/automations/${id}/activate`)
  const { page, faults, close } = await world.open(`/app/default/automations/${id}`)
  await page.getByText('nobody came in').waitFor()
  const contactIds = await added('ada@comes.example', 'bob@comes.example')
  await world.site('POST', `/automations/${id}/enroll`, { contactIds })
  const cameIn = page.locator('dl > div').filter({ has: page.getByText('Came in', { exact: true }) })
  await cameIn.first().getByText('2', { exact: true }).waitFor()
  // The sums are read every few seconds: before the next but two the results have to follow.
  let reads = 0
  page.on('response', (answer) => {
    if (answer.url().endsWith(`/automations/${id}/counts`)) reads += 1
  })
  await page.getByText('In 30 days 2 came in').waitFor()
  assert.ok(reads <= 2, `${reads} times the sums were read meanwhile`)
  assert.deepEqual(faults, [])
  await close()
})

test('what others change is seen on pages that stay open: what is stuck, an endpoint, and who has filled in a form', {
  skip,
}, async () => {
  const { json: endpoint } = await world.site('POST', '/webhooks', { url: 'https://receiver.example/hook' })
  const { json: form } = await world.site('POST', '/forms', { name: 'Footer', consentWording: 'News.' })
  const later = { before: async (page: Page) => page.clock.install() }
  const open = async (path: string) => {
    const opened = await world.open(`/app/default${path}`, later)
    await opened.page.locator('main h1').first().waitFor()
    return opened
  }
  const pages = [await open(''), await open(`/webhooks/${endpoint.id}`), await open(`/forms/${form.id}`)]
  const [overview, hook, filled] = pages.map(({ page }) => page) as [Page, Page, Page]
  await overview.getByRole('heading', { name: 'Reputation' }).waitFor()
  await hook.getByText('Nothing was delivered yet').waitFor()
  await filled.getByText('Nobody has filled it in yet.').waitFor()

  await world.site('PATCH', `/webhooks/${endpoint.id}`, { enabled: false })
  await world.instance.sql(
    `insert into form_submissions (workspace_id, form_id, version, state, address_hash, origin, created_at)
     values (1, $1, 1, 'expired', sha256('a'), 'https://shop.example', now())`,
    [form.id],
  )
  for (const { page } of pages) await page.clock.fastForward(31_000)
  await overview.getByText('1 webhook endpoint switched off').waitFor()
  await hook.getByText('Paused', { exact: true }).waitFor()
  await filled.getByText('1 sign-up').waitFor()
  // The clock of the test is a script, which the frame of a preview refuses.
  const inFrames = (fault: string) => fault.includes('/app/frame')
  for (const { faults, close } of pages) {
    assert.deepEqual(
      faults.filter((fault) => !inFrames(fault)),
      [],
    )
    await close()
  }
})
