// A small shop whose visitors are tracked: consent, products, a cart, a sign-up form, an order.
//
//   TOKEN=prt_... node docs/examples/shop.mjs        then open http://localhost:8080
//
// TOKEN needs trackers:read, forms:read, forms:write and events:write. POSTROOM (http://localhost:3000) is where Postroom is as the browser and
// this program reach it, PORT (8080) where the shop listens. It uses the first tracker of the workspace, and makes the form
// "Sample shop" unless there is one.
import { createServer } from 'node:http'

const { TOKEN, POSTROOM = 'http://localhost:3000', PORT = '8080' } = process.env
if (!TOKEN) {
  console.error('Set TOKEN to an API token with the scopes trackers:read, forms:read, forms:write and events:write.')
  process.exit(1)
}
const PRODUCTS = { mug: 'A mug', shirt: 'A shirt' }
const FORM = 'Sample shop'
const BODY_BYTES_MAX = 10_000

const tracker = (await api('GET', '/trackers')).items[0]
if (!tracker) throw new Error('The workspace has no tracker: make one under Trackers.')
const form = await signUpForm()

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://shop')
  const sku = /^\/products\/(\w+)$/.exec(pathname)?.[1]
  if (request.method === 'POST' && pathname === '/orders') return order(request, response)
  if (pathname === '/') return show(response, 'Shop', home())
  if (pathname === '/thanks') return show(response, 'Thank you', '<p>Your order is on its way.</p>')
  if (sku in PRODUCTS) return show(response, PRODUCTS[sku], product(sku))
  response.statusCode = 404
  return show(response, 'Not here', '<p>There is no such page.</p>')
})
server.listen(Number(PORT), 'localhost', () =>
  console.log(`the shop is open: http://localhost:${server.address().port}`),
)

async function signUpForm() {
  const { items } = await api('GET', '/forms?pageSize=1000')
  const found = items.find(({ name }) => name === FORM)
  const consentWording = 'We write to you when there is something new. Each mail has a link that ends it.'
  return found ?? api('POST', '/forms', { name: FORM, consentWording, fields: [{ field: 'email' }] })
}

function home() {
  const products = Object.entries(PRODUCTS).map(([sku, name]) => `<li><a href="/products/${sku}">${name}</a></li>`)
  return `<ul>${products.join('')}</ul><p><a href="${form.url}">Hear of new things by mail</a></p>`
}

// The click on the button is recorded by its attributes; the order is told by this server, which knows that it was paid.
function product(sku) {
  return `<button data-postroom-event="cart.added" data-postroom-sku="${sku}">Put it into the cart</button>
<form method="post" action="/orders"><input type="hidden" name="sku" value="${sku}">
<label>Email <input type="email" name="email" required></label> <button>Buy</button></form>`
}

async function order(request, response) {
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > BODY_BYTES_MAX) return response.writeHead(413).end()
  }
  const { sku, email } = Object.fromEntries(new URLSearchParams(body))
  if (!(sku in PRODUCTS) || !email) return response.writeHead(400).end()
  const event = { id: `order-${crypto.randomUUID()}`, action: 'order.paid', email, properties: { sku } }
  await api('POST', '/events', { events: [event] })
  return response.writeHead(303, { location: '/thanks' }).end()
}

function show(response, title, content) {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<script>window.postroom=function(){(postroom.q=postroom.q||[]).push(arguments)}</script>
<script async src="${POSTROOM}/t.js" data-collect-key="${tracker.key}" data-debug></script></head>
<body><h1>${title}</h1>${content}<hr>
<p>May we remember what you look at? <button onclick="postroom('consent', 'granted')">Yes</button>
<button onclick="postroom('consent', 'denied')">No</button></p><p><a href="/">To the shop</a></p></body></html>`)
}

async function api(method, path, json) {
  const response = await fetch(`${POSTROOM}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text && JSON.parse(text)
}
