// A small shop whose visitors are tracked: consent, products, a cart, sign-up by mail, orders. docs/guides/sample-shop.md walks through it.
//
//   node docs/examples/shop.mjs        then open http://localhost:8080
//
// POSTROOM (http://localhost:3000) is where Postroom is as the browser and this program reach it, PORT (8080) where the shop listens.
// REST_MINUTES (1) is how long a cart rests before the automation that is made reminds of it.
// TOKEN is an API token with trackers:write, forms:write, events:write, automations:write and automations:activate, and read beside
// write; without it the one of Postroom's first start is taken. What the shop needs there, it makes once: shop/set-up.mjs.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { apiOf } from './shop/api.mjs'
import { addressOf, openCarts } from './shop/carts.mjs'
import { cartPage, homePage, notePage, pagesOf, productPage } from './shop/pages.mjs'
import { PRODUCTS } from './shop/products.mjs'
import { setUp } from './shop/set-up.mjs'

const { POSTROOM = 'http://localhost:3000', PORT = '8080', REST_MINUTES = '1' } = process.env
const BODY_CHARS_MAX = 10_000
const SHOP = `http://localhost:${PORT}`
const FILES = { '/shop.js': 'text/javascript; charset=utf-8', '/shop.css': 'text/css; charset=utf-8' }

const api = apiOf(POSTROOM, process.env.TOKEN ?? (await tokenOfFirstStart()))
const made = await setUp(api, SHOP, Number(REST_MINUTES))
const carts = openCarts()
const layout = pagesOf({ postroom: POSTROOM, made, wording: 'May we remember what you look at?' })

const isSold = (sku) => Object.hasOwn(PRODUCTS, sku ?? '')

const ways = {
  'GET /': ({ cart }) => layout('The shop', cart, homePage(made)),
  'GET /products': ({ cart, name }) => isSold(name) && layout(PRODUCTS[name].name, cart, productPage(name, cart)),
  'GET /cart': ({ cart, name }) => {
    // The way back from a mail: the cart is one's own again, on another device too.
    const found = name && carts.find(name)
    if (found) return { to: '/cart', cookie: found.id }
    return name ? { to: '/cart' } : layout('Your cart', cart, cartPage(cart))
  },
  'POST /cart': ({ cart, fields: { sku, remove } }) => {
    if (!isSold(sku)) return undefined
    return { to: '/cart', cookie: remove ? cart.without(sku) : cart.with(sku) }
  },
  'POST /orders': async ({ cart, fields }) => {
    const email = addressOf(fields.email)
    if (!email || cart.total === 0) return { to: '/cart' }
    // Told by this server, which knows that it was paid: a browser could say so of anything.
    const properties = { cartId: cart.id, total: cart.total, currency: 'EUR' }
    await api('POST', '/events', { events: [{ id: `order-${cart.id}`, action: 'order.paid', email, properties }] })
    carts.close(cart)
    return { to: '/thanks' }
  },
  'GET /thanks': ({ cart }) => layout('Thank you', cart, notePage('Thank you', 'Your order is on its way to you.')),
}

const server = createServer(async (request, response) => {
  try {
    await answer(request, response)
  } catch (error) {
    console.error(error.message)
    const words = 'Please try it once more in a moment.'
    show(response, 503, layout('Not now', carts.ofVisitor(), notePage('That did not work', words)))
  }
})
server.on('error', ({ code }) => {
  console.error(`Cannot listen on ${SHOP}: ${code}. Set PORT to a free port.`)
  process.exit(1)
})
server.listen(Number(PORT), 'localhost', () => console.log(`the shop is open: ${SHOP}`))

async function answer(request, response) {
  const path = request.url.split('?', 1)[0]
  if (Object.hasOwn(FILES, path)) return sendFile(response, path)
  const [, place, name] = /^\/(\w*)(?:\/([\w-]+))?$/.exec(path) ?? []
  const way = `${request.method} /${place}`
  const fields = await fieldsOf(request)
  const cart = carts.ofVisitor(request.headers.cookie, fields.cart)
  const result = Object.hasOwn(ways, way) && (await ways[way]({ cart, name, fields }))
  if (result?.to) return goOn(response, result)
  if (result) return show(response, 200, result)
  return show(response, 404, layout('Not here', cart, notePage('Not here', 'There is no such page.')))
}

async function tokenOfFirstStart() {
  const file = new URL('../../.postroom/credentials.txt', import.meta.url)
  const token = /^token +(\S+)$/m.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
  if (token) return token
  console.error('Set TOKEN to an API token of Postroom, or start Postroom in this directory first (npm start).')
  process.exit(1)
}

/** Fields of a form that was sent; a body that is too long has none. */
async function fieldsOf(request) {
  let body = ''
  for await (const chunk of request) if (body.length <= BODY_CHARS_MAX) body += chunk
  return Object.fromEntries(new URLSearchParams(body.length > BODY_CHARS_MAX ? '' : body))
}

async function sendFile(response, path) {
  response.setHeader('content-type', FILES[path])
  response.end(await readFile(new URL(`./shop${path}`, import.meta.url)))
}

function goOn(response, { to, cookie }) {
  if (cookie) response.setHeader('set-cookie', `cart=${cookie}; Path=/; HttpOnly; SameSite=Lax`)
  response.writeHead(303, { location: to }).end()
}

/** The policy has nothing inline: the tracker and the form need Postroom's address in three places, and no more. */
function show(response, status, html) {
  const policy = `default-src 'self'; script-src 'self' ${POSTROOM}; connect-src ${POSTROOM}; form-action 'self' ${POSTROOM}; img-src data:`
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .end(html)
}
