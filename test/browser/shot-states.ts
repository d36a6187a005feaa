import type { Page } from 'playwright-core'
import { busyPage } from '../../server/modules/pages/declare-pages.ts'
import { markupOf } from '../../server/platform/http/page.ts'
import { eventually } from '../support/eventually.ts'
import { allRows, pathOf } from './route-rows.ts'
import type { World } from './world.ts'

/** A picture of something that is on no page by its address alone, or that is no page of the dashboard. */
export type Shot = {
  name: string
  /** Whole path on the server. */
  path: (world: World) => Promise<string>
  /** Who sees it, when it is not the owner: somebody who may only look, or who is not logged in. */
  as?: 'viewer' | 'reader'
  /** Done on the page until it shows what is meant. It may change nothing, for it is done once a look. */
  act?: (page: Page) => Promise<void>
}

/** A workspace in which there is nothing. */
const EMPTY_SLUG = 'empty'
/** Names as long as they may be, of words and of one word. */
const LONG_WORDS = 'Everybody who has ever asked for anything at all, and then thought better of it '
  .repeat(3)
  .slice(0, 200)
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200)
const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

/** The page of a row, for what is done on it. */
export const onRow = (name: string) => async (world: World) => {
  const row = (await allRows()).find((one) => one.name === name)!
  return pathOf(row, world)
}

async function fromMenu(page: Page, entry: string): Promise<void> {
  await button(page, 'More').click()
  await page.getByRole('menuitem', { name: entry }).click()
  await dialog(page).waitFor()
}

/** Changes under a path of the workspace come too late from here on: somebody else was faster. */
const refuse = (page: Page, path: string) =>
  page.route(`**/site/workspaces/*${path}`, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 412,
          contentType: 'application/problem+json',
          body: '{"status":412,"title":"Changed"}',
        })
      : route.fallback(),
  )

/** An automation in force with somebody inside, whose draft is another: their step is gone. */
async function toPublish(world: World): Promise<string> {
  const { json } = await world.site('GET', '/automations?search=To%20publish')
  if (json.items[0]) return `/app/default/automations/${json.items[0].id}/edit`
  const rest = { type: 'delay', days: 2, to: 'end' }
  const definition = { format: 1, enter: { on: [{ manual: true }] }, start: 'rest', nodes: { rest } }
  const { id } = (await world.site('POST', '/automations', { name: 'To publish', definition })).json
  await world.site('POST', `/automations/${id}/activate`)
  const { json: grace } = await world.site('POST', '/contacts', {
    email: 'grace.inside@example.com',
    firstName: 'Grace',
  })
  await world.site('POST', `/automations/${id}/enroll`, { contactIds: [grace.id] })
  const inside = async () => (await world.site('GET', `/automations/${id}/counts`)).json.inside === 1
  await eventually('somebody is inside', inside)
  const thanks = { type: 'email', subject: 'Thank you', body: BODY, to: 'end' }
  await world.site('PATCH', `/automations/${id}`, {
    definition: { ...definition, start: 'thanks', nodes: { thanks } },
  })
  return `/app/default/automations/${id}/edit`
}

/** The same whose first version is only written, with ways that part. */
async function toActivate(world: World): Promise<string> {
  const { json } = await world.site('GET', '/automations?search=To%20activate')
  if (json.items[0]) return `/app/default/automations/${json.items[0].id}/edit`
  const mail = (subject: string) => ({ type: 'email', subject, body: BODY, to: 'thanked' })
  const nodes = {
    asked: { type: 'wait', for: [{ event: 'order.paid', to: 'thanked' }], timeout: 'P3D', late: 'choice' },
    choice: {
      ...{ type: 'branch', else: 'reminder' },
      ways: [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'vip' }] }, to: 'offer' }],
    },
    offer: mail('Something for you alone'),
    reminder: mail('You left something behind'),
    thanked: { type: 'tag', add: ['reminded'], to: 'end' },
  }
  const definition = {
    ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'asked', nodes },
    ...{ exit: [{ event: 'order.canceled' }], goal: { event: 'order.paid' } },
  }
  const { id } = (await world.site('POST', '/automations', { name: 'To activate', definition })).json
  return `/app/default/automations/${id}/edit`
}

/** A broadcast that has sent some of its mail and goes on slowly. */
async function underWay(world: World): Promise<string> {
  const { json } = await world.site('GET', '/broadcasts?search=Under%20way')
  if (json.items[0]) return `/app/default/broadcasts/${json.items[0].id}`
  // Mail that others wait for goes before it is slowed down.
  await newsOf('/e/u/')(world)
  await signUpOf(world)
  const contacts = Array.from({ length: 400 }, (_, n) => ({ email: `slow${n}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts })
  const [mailbox] = (await world.site('GET', '/integrations')).json.items.filter(
    (one: { isDefault: boolean }) => one.isDefault,
  )
  await world.site('PATCH', `/integrations/${mailbox.id}`, { maxPerSecond: 1 })
  const made = await world.site('POST', '/broadcasts', { name: 'Under way', subject: 'Slow news', body: BODY })
  await world.site('POST', `/broadcasts/${made.json.id}/send`)
  const accepted = async () => (await world.site('GET', `/broadcasts/${made.json.id}/report`)).json.acceptedCount
  await eventually('some of it is sent', async () => (await accepted()) > 3)
  return `/app/default/broadcasts/${made.json.id}`
}

/** The page of a server that is away, as the server makes it, at an address that is none of its own. */
export async function openBusy(page: Page, method: 'GET' | 'POST'): Promise<void> {
  const body = markupOf(busyPage({ method, url: '/app/mailbox/default', id: '5f0c1a52-9d6e-4c07-b6a1-7c2f4c9f3f10' }))
  const path = `/busy/${method}`
  await page.route(`**${path}`, (route) =>
    route.fulfill({ status: 503, contentType: 'text/html; charset=utf-8', body }),
  )
  await page.goto(path)
}

/** Where links of a mail lead that came to an address, by what their path begins with. */
async function linkOf(world: World, to: string, begins: string): Promise<string> {
  let links: string[] = []
  await eventually(`a mail to ${to}`, async () => {
    const [mail] = (await world.site('GET', `/mailbox?to=${encodeURIComponent(to)}`)).json.items
    if (mail !== undefined) links = (await world.site('GET', `/mailbox/${mail.id}`)).json.links
    return mail !== undefined
  })
  return new URL(links.find((link) => new URL(link).pathname.startsWith(begins))!).pathname
}

async function newsMailed(world: World): Promise<void> {
  const { json } = await world.site('GET', '/broadcasts?search=For%20a%20reader')
  if (json.items[0]) return
  // The picture of the settings leaves hours in which nothing is sent.
  await world.site('PATCH', '/sending-settings', { quietHours: null, frequencyCap: null })
  const topic = { name: 'Product news', description: 'Once a month, what is new.' }
  if ((await world.site('GET', '/topics')).json.totalItems === 0) await world.site('POST', '/topics', topic)
  const body = '<p>News. <a href="{{ unsubscribe_url }}">Unsubscribe</a> <a href="{{ preferences_url }}">Choose</a></p>'
  await world.site('POST', '/contacts', { email: 'a.reader@example.com', firstName: 'Rosa' })
  const definition = { rules: [{ field: 'email', operator: '=', value: 'a.reader@example.com' }] }
  const segment = await world.site('POST', '/segments', { name: 'A reader', definition: JSON.stringify(definition) })
  const content = { name: 'For a reader', subject: 'News', body, segmentId: segment.json.id }
  const made = await world.site('POST', '/broadcasts', content)
  await world.site('POST', `/broadcasts/${made.json.id}/send`)
}

const newsOf = (begins: string) => async (world: World) => {
  await newsMailed(world)
  return linkOf(world, 'a.reader@example.com', begins)
}

async function form(world: World): Promise<{ id: string; key: string }> {
  const { json } = await world.site('GET', '/forms?pageSize=100')
  const found = json.items.find(({ name }: { name: string }) => name === 'Monthly letter')
  if (found) return found
  const fields = [{ field: 'email' }, { field: 'firstName', required: true }]
  const wording = 'We write to you once a month. Each mail has a link that ends it.'
  const made = await world.site('POST', '/forms', { name: 'Monthly letter', consentWording: wording, fields })
  const values = { email: 'signing.up@example.com', firstName: 'Rosa' }
  await world.site('POST', `/forms/${made.json.id}/submissions`, { fields: values })
  return made.json
}

async function signUpOf(world: World): Promise<string> {
  await form(world)
  return linkOf(world, 'signing.up@example.com', '/e/s/')
}

/** Everything that has a name, with one of two hundred characters. */
async function longNames(world: World): Promise<void> {
  if ((await world.site('GET', `/segments?search=${LONG_WORD.slice(0, 40)}`)).json.totalItems > 0) return
  for (const name of [LONG_WORDS.trim(), LONG_WORD]) {
    await world.site('POST', '/segments', { name, definition: '' })
    await world.site('POST', '/broadcasts', { name, subject: name, body: BODY })
    await world.site('POST', '/templates', { name, subject: name, body: BODY })
    const definition = { format: 1, enter: { on: [{ manual: true }] }, start: 'end', nodes: {} }
    await world.site('POST', '/automations', { name, definition })
    await world.site('POST', '/forms', { name: name.slice(0, 100), consentWording: 'Once a month.' })
    await world.site('POST', '/topics', { name: name.slice(0, 100) })
  }
}

const longRow = (path: string) => async (world: World) => {
  await longNames(world)
  return `/app/default${path}`
}

async function emptyWorkspace(world: World): Promise<void> {
  await world.instance.sql(
    `with made as (insert into workspaces (slug, name) values ($1, 'Empty') on conflict do nothing returning id)
     insert into memberships (workspace_id, user_id, role) select made.id, users.id, 'owner' from made, users
     where users.email = $2`,
    [EMPTY_SLUG, world.instance.email],
  )
}

/** Every page that needs no id, as it is before there is anything. */
export async function emptyShots(): Promise<Shot[]> {
  const routes = [...new Set((await allRows()).map(({ route }) => route))].filter((route) => !route.includes('$'))
  return routes.map((route) => ({
    name: `empty${route === '/' ? '-overview' : route.replaceAll('/', '-')}`,
    path: async (world) => {
      await emptyWorkspace(world)
      return `/app/${EMPTY_SLUG}${route === '/' ? '' : route}`
    },
  }))
}

export const SHOTS: readonly Shot[] = [
  {
    name: 'state-publish',
    path: toPublish,
    async act(page) {
      await button(page, 'Publish…').click()
      await dialog(page).getByRole('radio').first().waitFor()
    },
  },
  {
    name: 'state-activate',
    path: toActivate,
    async act(page) {
      await button(page, 'Activate…').click()
      await dialog(page).getByRole('list', { name: 'Changes' }).waitFor()
    },
  },
  {
    name: 'state-step-chooser',
    path: onRow('automation-edit'),
    act: (page) => page.getByRole('button', { name: 'Add a step behind: People come in', exact: true }).first().click(),
  },
  {
    name: 'state-scenario',
    path: onRow('automation-edit-scenarios'),
    act: (page) => page.getByRole('button', { name: /^Edit / }).click(),
  },
  {
    name: 'state-test-one',
    path: onRow('automation-edit'),
    async act(page) {
      await page.getByRole('button', { name: 'Test on one person' }).click()
      await dialog(page).waitFor()
    },
  },
  { name: 'state-enroll', path: onRow('automation'), act: (page) => fromMenu(page, 'Bring in a segment…') },
  { name: 'state-backfill', path: onRow('automation'), act: (page) => fromMenu(page, 'Bring in people of the past…') },
  {
    name: 'state-explain-automation',
    path: onRow('automation'),
    async act(page) {
      await page.getByLabel('Email', { exact: true }).fill('ada.cart@example.com')
      await button(page, 'Explain').click()
      const found = page.getByRole('link', { name: 'This way by itself' })
      await found.waitFor()
      await found.scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'state-send',
    path: onRow('broadcast-compose'),
    async act(page) {
      await button(page, 'Send…').click()
      await dialog(page)
        .getByRole('button', { name: /^Send to [\d,]+ / })
        .waitFor()
    },
  },
  {
    name: 'state-send-test',
    path: onRow('broadcast-compose'),
    async act(page) {
      await button(page, 'Send a test').click()
      await dialog(page).waitFor()
    },
  },
  { name: 'state-sending', path: underWay },
  {
    name: 'state-palette',
    path: onRow('contacts'),
    async act(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'state-new-contact',
    path: onRow('contacts'),
    async act(page) {
      await page.getByRole('button', { name: 'New contact' }).click()
      await dialog(page).waitFor()
    },
  },
  {
    name: 'state-conflict',
    path: onRow('tracker'),
    async act(page) {
      await refuse(page, '/trackers/*')
      await button(page, 'Change').click()
      await dialog(page).getByLabel('Name', { exact: true }).fill('Mine')
      await button(page, 'Save').click()
      await button(page, 'Save mine over it').scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'state-conflict-draft',
    path: onRow('template'),
    async act(page) {
      await refuse(page, '/templates/*')
      await page.getByLabel('Name', { exact: true }).fill('Mine')
      await button(page, 'Keep mine').scrollIntoViewIfNeeded()
    },
  },
  { name: 'state-not-found', path: async () => '/app/default/nothing/here' },
  { name: 'state-gone', path: async () => '/app/default/contacts/999999999' },
  { name: 'long-segments', path: longRow('/segments') },
  { name: 'long-broadcasts', path: longRow('/broadcasts') },
  { name: 'long-templates', path: longRow('/templates') },
  { name: 'long-automations', path: longRow('/automations') },
  { name: 'long-forms', path: longRow('/forms') },
  { name: 'long-topics', path: longRow('/contacts/topics') },
  {
    name: 'long-segment',
    async path(world) {
      await longNames(world)
      const { json } = await world.site('GET', `/segments?search=${LONG_WORD.slice(0, 40)}`)
      return `/app/default/segments/${json.items[0].id}`
    },
  },
  {
    name: 'long-broadcast',
    async path(world) {
      await longNames(world)
      const { json } = await world.site('GET', `/broadcasts?search=${LONG_WORD.slice(0, 40)}`)
      return `/app/default/broadcasts/${json.items[0].id}`
    },
  },
  { name: 'page-login', as: 'reader', path: async () => '/app/login' },
  { name: 'page-forgot', as: 'reader', path: async () => '/app/forgot-password' },
  { name: 'page-nothing', as: 'reader', path: async () => '/nothing/here' },
  { name: 'page-busy', as: 'reader', path: async () => '/app/login', act: (page) => openBusy(page, 'GET') },
  { name: 'page-busy-sent', as: 'reader', path: async () => '/app/login', act: (page) => openBusy(page, 'POST') },
  { name: 'page-mailbox', path: async () => '/app/mailbox/default' },
  {
    name: 'page-mail',
    async path(world) {
      await newsMailed(world)
      let id: string | undefined
      await eventually('a mail in the mailbox', async () => {
        id = (await world.site('GET', '/mailbox')).json.items[0]?.id
        return id !== undefined
      })
      return `/app/mailbox/default/${id}`
    },
  },
  { name: 'page-docs', as: 'reader', path: async () => '/docs/' },
  { name: 'page-problems', as: 'reader', path: async () => '/docs/problems' },
  { name: 'page-guides', as: 'reader', path: async () => '/docs/guides/' },
  { name: 'page-guide', as: 'reader', path: async () => '/docs/guides/first-newsletter' },
  { name: 'reader-form', as: 'reader', path: async (world) => `/f/${(await form(world)).key}` },
  {
    name: 'reader-sign-up',
    as: 'reader',
    path: signUpOf,
  },
  { name: 'reader-unsubscribe', as: 'reader', path: newsOf('/e/u/') },
  { name: 'reader-preferences', as: 'reader', path: newsOf('/e/p/') },
  { name: 'reader-unknown-link', as: 'reader', path: async () => '/e/u/nonsense' },
]
