import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { settled, type World } from './world.ts'

/* The walk of docs/guides/automations.md through the builder, with people inside, for `npm run pictures`. */

type Walk = {
  world: World
  page: Page
  picture: (name: string, at?: Locator) => Promise<void>
  goTo: (where: string) => Promise<void>
}

const PEOPLE = ['ada', 'grace', 'mary', 'rosa', 'edith', 'lise'].map((name) => `${name}.cart@example.com`)

export async function pictureAutomations({ world, page, picture, goTo }: Walk): Promise<void> {
  await goTo('/automations/new')
  await picture('automation-gallery')
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Forgotten cart' }) })
    .getByRole('button')
    .click()
  await page.getByRole('tree').waitFor()
  const [, id = ''] = /automations\/(\d+)\/edit/.exec(page.url()) ?? []
  await page.getByRole('treeitem', { name: /^Wait/ }).first().click()
  await settled(page)
  await picture('automation-outline')
  await comeIn(world, id)
  await goTo(`/automations/${id}/edit?view=canvas`)
  const canvas = page.getByRole('region', { name: 'Canvas' })
  await canvas.getByRole('link', { name: `${PEOPLE.length} here` }).waitFor()
  await canvas.getByRole('button', { name: /^Wait/ }).first().click()
  await canvas.locator('[data-mail-picture]').first().frameLocator('iframe').getByText('Back to your cart').waitFor()
  await settled(page)
  await picture('automation-canvas')
  await page.getByLabel('Wait for').fill('3')
  await page.getByText(/^Saved/).waitFor()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('table').waitFor()
  await settled(page)
  await picture('automation-publish')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await goTo(`/automations/${id}?who=${encodeURIComponent(PEOPLE[0]!)}`)
  await page.getByLabel('Email', { exact: true }).fill(PEOPLE[0]!)
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByRole('region', { name: 'The explanation' }).getByText('In it now').waitFor()
  await settled(page)
  await picture('automation-explain', page.getByRole('link', { name: 'This way by itself' }))
}

/** It is in force, and each of them has left a cart. */
async function comeIn(world: World, id: string): Promise<void> {
  const contacts = PEOPLE.map((email) => ({
    email,
    firstName: email.charAt(0).toUpperCase() + email.split('.')[0]!.slice(1),
  }))
  await world.site('POST', '/contacts/batch', { contacts })
  await world.site('POST', `/automations/${id}/activate`)
  const events = PEOPLE.map((email) => ({ action: 'cart.updated', email, properties: { cartId: email, total: 40 } }))
  const { baseUrl, token } = world.instance
  await send('POST', `${baseUrl}/api/events`, { token, json: { events } })
  await eventually(
    'all are in it',
    async () => (await world.site('GET', `/automations/${id}/counts`)).json.inside === PEOPLE.length,
  )
}
