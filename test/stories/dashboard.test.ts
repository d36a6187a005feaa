import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { builtDashboard } from '../browser/built-dashboard.ts'
import { send } from '../support/http-client.ts'
import { cookieOf, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

await builtDashboard()
const instance = await startTestedInstance()
after(() => instance.close())
const site = siteCaller(instance)
const owner = { cookie: cookieOf(await site.logIn(instance.email, instance.password)) }
const get = (path: string, headers: Record<string, string> = {}) => send('GET', instance.baseUrl + path, { headers })

test('the beginning leads to the login, and from there to the first workspace', async () => {
  assert.equal((await get('/')).headers.location, '/app')
  assert.equal((await get('/app')).headers.location, '/app/login')
  assert.equal((await get('/app', owner)).headers.location, '/app/default')
  assert.equal(
    (await get('/app/default/contacts?search=a+b')).headers.location,
    '/app/login?next=%2Fapp%2Fdefault%2Fcontacts%3Fsearch%3Da%2Bb',
  )
})

test('the page is never kept, and its policy allows nothing but this origin and its own nonce', async () => {
  const [one, other] = [await get('/app/default', owner), await get('/app/default/contacts/42', owner)]
  assert.equal(one.status, 200)
  assert.equal(one.headers['cache-control'], 'no-store')
  const policy = String(one.headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  assert.ok(nonce && one.text.includes(`nonce="${nonce}"`))
  assert.doesNotMatch(one.text, /__POSTROOM_NONCE__/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.notEqual(/'nonce-([^']+)'/.exec(String(other.headers['content-security-policy']))?.[1], nonce)
})

test('files are kept for ever, come as the client takes them, and are files or nothing', async () => {
  const { text } = await get('/app/default', owner)
  const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(text)![1]!
  const plain = await get(script)
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  const response = await fetch(instance.baseUrl + script, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(response.headers.get('content-encoding'), 'br')
  await response.body?.cancel()
  const refused = await get(script, { 'accept-encoding': 'br;q=0' })
  assert.equal(refused.headers['content-encoding'], undefined)
  assert.equal(refused.text, plain.text)
  for (const path of ['/app/assets/none.js', '/app/assets/..%2Findex.html', '/app/assets/%2e%2e%2fcurrent']) {
    assert.equal((await get(path)).status, 404, path)
  }
})

test('the tracker is for the pages of any site: asked for anew every hour, or with its digest kept for ever', async () => {
  const plain = await get('/t.js', { origin: 'https://shop.example' })
  assert.equal(plain.status, 200)
  assert.equal(plain.headers['cache-control'], 'public, max-age=3600')
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(plain.headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(plain.headers['access-control-allow-origin'], '*')
  assert.equal(plain.headers['set-cookie'], undefined)
  const etag = String(plain.headers.etag)
  for (const known of [etag, `"x", W/${etag}`]) {
    const same = await get('/t.js', { 'if-none-match': known })
    assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag])
  }
  const exact = String(plain.headers['content-location'])
  const digest = createHash('sha256').update(plain.text).digest('hex').slice(0, 16)
  assert.equal(exact, `/t.${digest}.js`)
  const kept = await get(exact)
  assert.equal(kept.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(kept.text, plain.text)
  const head = await send('HEAD', `${instance.baseUrl}/t.js`)
  assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', etag])
  assert.equal(head.headers['content-length'], String(Buffer.byteLength(plain.text)))
  const small = await fetch(`${instance.baseUrl}/t.js`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(small.headers.get('content-encoding'), 'gzip')
  assert.notEqual(small.headers.get('etag'), etag)
  assert.equal(await small.text(), plain.text)
  for (const path of ['/t.0123456789abcdef.js', '/t..js', '/t.0123456789abcdef0.js', '/t.JS', '/t.js.map']) {
    assert.equal((await get(path)).status, 404, path)
  }
  assert.equal((await send('POST', `${instance.baseUrl}/t.js`)).status, 405)
  assert.doesNotMatch(await instance.metrics(), /t\.js/)
})

test('the frame of mails runs nothing and stands in our own pages alone', async () => {
  const { headers } = await get('/app/frame')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^sandbox allow-same-origin allow-popups; default-src 'none';/)
  assert.match(policy, /base-uri 'none'; frame-ancestors 'self'$/)
  assert.doesNotMatch(policy, /script-src|allow-scripts/)
})

test('a workspace is not called like a page of the application', async () => {
  const refused = await site.call('POST', '/site/workspaces', { ...owner, json: { slug: 'login', name: 'Login' } })
  assert.equal(refused.status, 422)
  assert.equal(refused.json.errors[0].pointer, '/slug')
  assert.equal((await get('/app/frame/contacts', owner)).status, 404)
})
