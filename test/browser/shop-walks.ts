import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort } from '../support/instance.ts'
import { cookieOf, siteCaller } from '../support/site-caller.ts'
import { isAccessible } from './accessible.ts'
import { delivered, openTracked, type TrackedShop } from './tracked-shop.ts'

/* Walks that hold in every browser. */

export const SAMPLE_SHOP = path.join(import.meta.dirname, '..', '..', 'docs', 'examples', 'shop.mjs')

/** A computer's clock that is a day ahead. */
const DAY_AHEAD = `{
  const Right = Date
  const dayMs = 86_400_000
  globalThis.Date = class extends Right {
    constructor(...given) {
      super(...(given.length ? given : [Right.now() + dayMs]))
    }
    static now() {
      return Right.now() + dayMs
    }
  }
}`

/**
 * A page under the strictest policy, whose script has a digest: nothing before consent; then what two tabs record while there is no
 * network, of which one is closed, arrives once, of one visitor, and as of when it was.
 */
export async function walkStrictPage({ server, shop, script, key, visitor, recorded }: TrackedShop): Promise<void> {
  const { baseUrl } = server
  const { headers } = await send('HEAD', `${baseUrl}/t.js`)
  const exact = baseUrl + String(headers['content-location'])
  const digest = createHash('sha384').update(script).digest('base64')
  shop.policy = `default-src 'none'; script-src ${baseUrl}; connect-src ${baseUrl}/collect/; require-trusted-types-for 'script'`
  shop.head = `<script async crossorigin src="${exact}" integrity="sha384-${digest}" data-collect-key="${key}" data-auto=""></script>`
  const context = await visitor()
  await context.addInitScript(DAY_AHEAD)
  const startedMs = Date.now()
  const asked: string[] = []
  context.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const [one, other] = [await openTracked(context, '/one'), await openTracked(context, '/other')]
  await one.evaluate(`postroom('track', 'strict.seen', { n: 0 })`)
  await other.evaluate(`postroom('flush')`)
  assert.deepEqual(
    asked.filter((at) => at.startsWith('/collect')),
    [],
  )
  const kept = `[localStorage.length, sessionStorage.length, document.cookie]`
  assert.deepEqual([await context.cookies(), await one.evaluate(kept)], [[], [0, 0, '']])
  await one.evaluate(`postroom('consent', 'granted')`)
  await context.setOffline(true)
  for (const [at, page] of [one, other].entries()) {
    await page.evaluate(`for (let n = 1; n < 6; n++) postroom('track', 'strict.seen', { n: n + ${at * 5} })`)
  }
  await one.close()
  await context.setOffline(false)
  await delivered(other)
  await eventually('all of them in the log', async () => (await recorded('strict.seen')).length >= 11)
  const events = await recorded('strict.seen')
  assert.deepEqual(
    events.map(({ properties }) => Number(properties.n)).sort((a, b) => a - b),
    Array.from({ length: 11 }, (_, n) => n),
  )
  for (const { occurredAt } of events) {
    assert.ok(Date.parse(occurredAt) >= startedMs && Date.parse(occurredAt) <= Date.now(), `${occurredAt} is not now`)
  }
  const [cookie, ...others] = await context.cookies()
  assert.deepEqual([cookie?.name, cookie?.path, cookie?.sameSite, others], ['pr_vid', '/', 'Lax', []])
  assert.deepEqual(new Set(events.map(({ visitorId }) => visitorId)), new Set([cookie?.value]))
  shop.policy = undefined
  await context.close()
}

/** The walk of docs/guides/sample-shop.md: consent, a look around, sign-up, confirmation by mail, a cart, and its order. */
export async function walkSampleShop(t: TestContext, world: TrackedShop): Promise<void> {
  const { server, read, recorded, caught, contactOf } = world
  const shopAt = `http://localhost:${await freePort()}`
  // The cart is paid for while it rests, however long this takes.
  const place = { POSTROOM: server.baseUrl, PORT: new URL(shopAt).port, REST_MINUTES: '60' }
  const env = { ...process.env, TOKEN: server.token, ...place }
  const child = spawn(process.execPath, [SAMPLE_SHOP], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  await once(createInterface(child.stdout), 'line')
  const context = await world.visitor(shopAt)
  // A browser that says a program leads it is asked by mail ten minutes later.
  await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })`)
  const faults: string[] = []
  context.on('console', (message) => message.type() === 'error' && faults.push(message.text()))

  const page = await openTracked(context, '/')
  await page.getByRole('link', { name: 'Jug' }).click()
  await page.getByRole('heading', { name: 'Jug' }).waitFor()
  assert.deepEqual([await context.cookies(), await page.evaluate('localStorage.length')], [[], 0])
  await page.getByRole('button', { name: 'Yes', exact: true }).click()
  await page.getByRole('link', { name: 'Sample shop' }).click()
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('First name').fill('Ada')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Look into your mail').waitFor()
  const mail = await caught('ada@example.com')
  const confirm = await openTracked(context, '/')
  await confirm.goto(mail.links.find((link: string) => link.includes('/e/s/')))
  await isAccessible(confirm)
  await confirm.getByRole('button', { name: 'Yes' }).click()
  await confirm.getByText('Thank you').first().waitFor()
  await isAccessible(confirm)
  await eventually('she is a contact', async () => (await contactOf('ada@example.com')) !== undefined)

  await page.goto('/products/mug')
  await page.getByRole('button', { name: 'Put it into the cart' }).click()
  await page.getByRole('heading', { name: 'Your cart' }).waitFor()
  await delivered(page)
  const runs = async () => (await read('/automations/1/runs')).items
  await eventually('the automation has begun', async () => (await runs()).length > 0)
  assert.deepEqual([(await runs())[0].state, (await runs())[0].node], ['waiting', 'rest'])
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Buy for 24 €' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await eventually('the order has ended it', async () => (await runs())[0].state === 'exited')

  await eventually('all that was seen is hers', async () => {
    const views = await recorded('page.view')
    return views.length > 3 && views.every(({ contactId }) => contactId !== null)
  })
  const { baseUrl, email, password } = server
  const login = await siteCaller({ baseUrl, sql: world.sql }).logIn(email, password)
  const [name = '', value = ''] = cookieOf(login).split('=', 2)
  await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }])
  await confirm.goto(`${baseUrl}/app/default/contacts/${(await contactOf('ada@example.com'))!.id}?tab=events`)
  await confirm.getByText('Confirmed by mail').waitFor()
  for (const action of ['order.paid', 'cart.updated']) await confirm.getByText(action).first().waitFor()
  // Both of before she had agreed, and of before she had a name.
  await confirm.getByText('Saw “Jug · Sample shop”').waitFor()
  assert.deepEqual(faults, [])
  await context.close()
}
