import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mailReaders, PERSON, PROXY } from '../support/mail-readers.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { draftsOf, EMPTY } from './automation-edits.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openRelayedWorld } from './relayed-world.ts'
import { settled, type World } from './world.ts'

/* Who has opened and clicked what, by people's requests for the pictures and links of real mail, as pages tell it. */

const skip = WITHOUT_BROWSER
const BODY = '<p><a href="https://shop.example/">Shop</a> <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'

let world: World
let relay: SmtpPeer
before(async () => {
  if (skip) return
  relay = await startSmtpPeer({ authOptional: true })
  world = await openRelayedWorld(relay, { TRUST_PROXY: '127.0.0.1' })
})
after(async () => {
  await world?.close()
  await relay?.close()
})

const { made } = draftsOf(() => world)
const { laterOn, follow } = mailReaders(
  () => world.instance,
  () => relay,
)

test('a sent broadcast goes once more to those who have not opened it: one press, and a draft that says to whom', {
  skip,
}, async () => {
  const names = ['opens', 'clicks', 'proxied', 'silent']
  const contacts = names.map((name) => ({ email: `${name}@receiver.example` }))
  await world.site('POST', '/contacts/batch', { contacts })
  const { json } = await world.site('POST', '/broadcasts', { name: 'Spring', subject: 'Hello', body: BODY })
  await world.site('POST', `/broadcasts/${json.id}/send`)
  const report = async () => (await world.site('GET', `/broadcasts/${json.id}/report`)).json
  await eventually('it is sent', async () => (await report()).status === 'sent')
  await laterOn()
  await follow('opens@receiver.example', { kind: 'o', by: PERSON })
  await follow('clicks@receiver.example', { kind: 'c', by: PERSON })
  await follow('proxied@receiver.example', { kind: 'o', by: PROXY })
  await eventually('all of it is judged', async () => {
    const { openedCount, clickedCount, machineOpenedCount } = await report()
    return openedCount === 1 && clickedCount === 1 && machineOpenedCount === 1
  })
  const rule = (name: string) => ({ field: `event:email.${name}`, operator: 'performed', value: '' })
  const definition = JSON.stringify({ combinator: 'or', rules: [rule('opened'), rule('clicked')] })
  await eventually('it is told to segments', async () => {
    const { json: found } = await world.site('POST', '/segments/preview', { definition })
    return found.count === 3
  })

  const { page, faults, close } = await world.open(`/app/default/broadcasts/${json.id}`)
  await settled(page)
  const panel = page.getByRole('region', { name: 'Once more, to those who have not opened it' })
  await panel.getByLabel(/^Leave out those whose mail a machine has opened \(1 message\)/).waitFor()
  await panel.getByRole('button', { name: 'Draft it for them' }).click()
  await page.getByRole('heading', { level: 1, name: 'Spring (to those who have not opened it)' }).waitFor()
  await settled(page)
  const audience = page.getByRole('region', { name: 'Audience' })
  const goesTo = audience.getByRole('group', { name: 'Goes to' })
  assert.equal(await goesTo.getByLabel('Not opened: Spring').isChecked(), true)
  await audience.getByText('2 people in its audience').waitFor()
  await page.getByRole('button', { name: 'Send…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Not opened: Spring (2 people)').waitFor()
  await page.keyboard.press('Escape')

  await page.goto(`${world.instance.baseUrl}/app/default/broadcasts/${json.id}`)
  await settled(page)
  await panel.getByLabel(/^Leave out/).check()
  await panel.getByRole('button', { name: 'Draft it for them' }).press('Enter')
  await audience.getByText('1 person in its audience').waitFor()
  assert.equal(await goesTo.getByLabel('Not opened, nor by a machine: Spring').isChecked(), true)
  assert.deepEqual(faults, [])
  await close()
})

test('a segment’s rules name the mail they are about, and count people alone unless machines are asked for', {
  skip,
}, async () => {
  const { page, faults, close } = await world.open('/app/default/segments')
  await page.getByRole('link', { name: 'Not opened: Spring', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Not opened: Spring' }).waitFor()
  await settled(page)
  const chosen = async (label: string) =>
    page.getByLabel(label, { exact: true }).locator('option:checked').textContent()
  const rules = [1, 2, 3, 4]
  assert.deepEqual(await Promise.all(rules.map((n) => chosen(`Field of rule ${n}`))), [
    'Mail sent',
    'Mail bounced',
    'Mail opened',
    'Mail clicked',
  ])
  await eventually('its name is known', async () => (await chosen('Mail that rule 1 is about')) === 'of “Spring”')
  assert.equal(await page.getByText(/condition.* on its properties/).count(), 0)

  await page.goto(`${world.instance.baseUrl}/app/default/segments/new`)
  await settled(page)
  await page.getByLabel('Field of rule 1').selectOption({ label: 'Mail opened' })
  await page.getByText('1 contact', { exact: true }).waitFor()
  await page.getByLabel('Who counts in rule 1').selectOption({ label: 'machines too' })
  await page.getByText('2 contacts', { exact: true }).waitFor()
  await page.getByLabel('Mail that rule 1 is about').selectOption({ label: 'of “Spring”' })
  await page.getByLabel('How rule 1 compares').selectOption('notPerformed')
  await page.getByText('2 contacts', { exact: true }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Not seen by anybody')
  await page.getByRole('button', { name: 'Create segment' }).click()
  await page.getByRole('heading', { level: 1, name: 'Not seen by anybody' }).waitFor()
  const { json } = await world.site('GET', '/segments?search=Not%20seen')
  const { id } = (await world.site('GET', '/broadcasts?search=Spring&sort=id')).json.items[0]
  assert.deepEqual(JSON.parse(json.items[0].definition).rules, [
    {
      field: 'event:email.opened',
      operator: 'notPerformed',
      value: { atLeast: 1, where: [{ property: 'broadcastId', operator: '=', value: String(id) }] },
    },
  ])
  assert.deepEqual(faults, [])
  await close()
})

test('each mail of an automation has how many people opened and clicked it, on the canvas as among its steps', {
  skip,
}, async () => {
  const id = await made('Welcome to the tea', {
    ...EMPTY,
    start: 'hello',
    nodes: {
      hello: { type: 'email', subject: 'Hello', body: BODY, to: 'rest' },
      rest: { type: 'delay', days: 2, to: 'end' },
    },
  })
  await world.site('POST', `/automations/${id}/activate`)
  const contacts = ['ada', 'bob', 'cyd', 'dan'].map((name) => ({ email: `${name}@series.example` }))
  const { json } = await world.site('POST', '/contacts/batch', { contacts })
  const contactIds = json.results.map(({ contactId }: { contactId: string }) => contactId)
  await world.site('POST', `/automations/${id}/enroll`, { contactIds })
  const mailsOf = async () =>
    (await world.site('GET', `/automations/${id}/counts`)).json.nodes.find(
      ({ node }: { node: string }) => node === 'hello',
    )?.mails
  await eventually('all are mailed', async () => (await mailsOf())?.accepted === 4)
  await laterOn()
  const { page, faults, close } = await world.open(`/app/default/automations/${id}`)
  await settled(page)
  const row = page.getByRole('table', { name: 'Steps' }).getByRole('row', { name: /^Mail/ })
  await row.getByText('4 sent, 0 opened (0 %), 0 clicked (0 %)').waitFor()
  await follow('ada@series.example', { kind: 'o', by: PERSON })
  await follow('ada@series.example', { kind: 'o', by: PERSON })
  await follow('ada@series.example', { kind: 'c', by: PERSON })
  await follow('bob@series.example', { kind: 'o', by: PERSON })
  await follow('cyd@series.example', { kind: 'o', by: PROXY })
  const told = '4 sent, 2 opened (50 %), 1 clicked (25 %)'
  await row.getByText(told).waitFor()
  await page.getByLabel('Who has passed').selectOption('24h')
  await row.getByText('4 sent, 2 opened, 1 clicked').waitFor()
  await page.goto(`${world.instance.baseUrl}/app/default/automations/${id}/edit`)
  await page.getByRole('tree').getByText(told).waitFor()
  await page.goto(`${world.instance.baseUrl}/app/default/automations/${id}/edit?view=canvas`)
  await page.getByRole('region', { name: 'Canvas' }).getByText(told).waitFor()
  const ledger = await world.instance.sql<{ opened: string; clicked: string }>(
    `select count(opened_at) as opened, count(clicked_at) as clicked from messages where source_kind = 'automation'`,
  )
  assert.deepEqual(ledger, [{ opened: '2', clicked: '1' }])
  assert.deepEqual(faults, [])
  await close()
})

test('where nobody is known to have opened a mail, its report says when most followed a link', { skip }, async () => {
  const { json: contact } = await world.site('POST', '/contacts', { email: 'only@clicks.example' })
  const rules = [{ field: 'email', operator: '=', value: 'only@clicks.example' }]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const { json: segment } = await world.site('POST', '/segments', { name: 'Only her', definition })
  const draft = { name: 'Clicked alone', subject: 'Hello', body: BODY, segmentId: segment.id }
  const { json } = await world.site('POST', '/broadcasts', draft)
  await world.site('POST', `/broadcasts/${json.id}/send`)
  const report = async () => (await world.site('GET', `/broadcasts/${json.id}/report`)).json
  await eventually('it is sent', async () => (await report()).status === 'sent')
  await laterOn()
  await follow('only@clicks.example', { kind: 'c', by: PERSON })
  await eventually('the click counts', async () => (await report()).clickedCount === 1)
  assert.equal((await report()).openedCount, 0)
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${json.id}`)
  await page.getByText(/^Most people followed a link in the hour of .*: 1\.$/).waitFor()
  assert.equal(await page.getByText(/opened it in the hour/).count(), 0)
  assert.deepEqual(faults, [])
  await close()
  await world.site('DELETE', `/contacts/${contact.id}`)
})

test('mails of one name are told apart, of two sources one rule shows both, and topics are asked for by name', {
  skip,
}, async () => {
  const { json: other } = await world.site('POST', '/broadcasts', { name: 'Spring', subject: 'Of old', body: BODY })
  await world.site('POST', `/broadcasts/${other.id}/send`)
  await eventually('it is sent', async () => {
    return (await world.site('GET', `/broadcasts/${other.id}`)).json.status === 'sent'
  })
  const { json: topic } = await world.site('POST', '/topics', { name: 'Monthly letter' })
  const where = [
    { property: 'broadcastId', operator: '=', value: String(other.id) },
    { property: 'automationId', operator: '=', value: '1' },
  ]
  const rules = [
    { field: 'event:email.sent', operator: 'performed', value: { atLeast: 1, where } },
    { field: 'topic', operator: 'has', value: topic.id },
  ]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const { json: segment } = await world.site('POST', '/segments', { name: 'Asked for much', definition })
  const { page, faults, close } = await world.open(`/app/default/segments/${segment.id}`)
  await settled(page)
  const checked = (label: string) => page.getByLabel(label, { exact: true }).locator('option:checked')
  const mail = page.getByLabel('Mail that rule 1 is about', { exact: true })
  await checked('Mail that rule 1 is about')
    .filter({ hasText: /^of “Spring”, sent .*20\d\d/ })
    .waitFor({ state: 'attached' })
  assert.equal(
    await mail
      .locator('option')
      .filter({ hasText: /^of “Spring”, sent / })
      .count(),
    2,
  )
  await page.getByText(/one condition on its properties/).waitFor()
  assert.equal(await checked('Field of rule 2').textContent(), 'Topic')
  assert.equal(await checked('Value of rule 2').textContent(), 'Monthly letter')
  await page.getByLabel('How rule 2 compares').selectOption('doesNotHave')
  await page.getByText('0 contacts', { exact: true }).waitFor()

  // Long ago: who has opened it is known for 400 days.
  await world.instance.sql(`update broadcasts set started_at = now() - interval '401 days' where name = 'Spring'`)
  const { items } = (await world.site('GET', '/broadcasts?search=Spring&sort=id')).json
  await page.goto(`${world.instance.baseUrl}/app/default/broadcasts/${items[0].id}`)
  await settled(page)
  const panel = page.getByRole('region', { name: 'Once more, to those who have not opened it' })
  await panel.getByText(/^Who has opened it is not known any more/).waitFor()
  assert.equal(await panel.getByRole('button').count(), 0)
  assert.deepEqual(faults, [])
  await close()
})
