import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { readSubmission } from '../../server/modules/submission/read-submission.ts'
import { signMessage } from '../../server/platform/mail/dkim-sign.ts'
import { dotStuff } from '../../server/platform/mail/dot-stuff.ts'
import { keptMail } from '../../server/platform/mail/kept-mail.ts'
import { callWorld, kindsIn, pathWith, seed, type World, worldIn } from '../contract/isolation-seeds.ts'
import { send } from '../support/http-client.ts'
import { largestBody, UNITS } from '../support/largest-body.ts'
import { leastMs } from '../support/processor-time.ts'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { type ServedModules, serveModules } from '../support/served-modules.ts'

/*
 * Requests that anybody, or a member who may only look, can make: none holds up the others. The server runs in this thread; a
 * turn of its loop is measured in time of the processor (`test/support/processor-time.ts`).
 */

/** Nobody's /healthz waits longer for somebody else's request. */
const TURN_MS_MAX = 200
const MEGABYTE = 1_048_000

let served: ServedModules
let world: World

before(async () => {
  served = await serveModules()
  world = await worldIn(served.instance, 'waits')
})
after(() => served?.stop())

/** The longest turn of the loop, in milliseconds of the processor, while something is done. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let watching = true
  const watch = async () => {
    while (watching) {
      const before = process.threadCpuUsage()
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.threadCpuUsage(before)
      longest = Math.max(longest, (user + system) / 1_000)
    }
  }
  const watched = watch()
  try {
    await work()
  } finally {
    watching = false
    await watched
  }
  return longest
}

async function heldUp(what: string, work: () => Promise<unknown>, tries = {}): Promise<void> {
  const turn = await leastMs(TURN_MS_MAX, () => longestTurn(work), tries)
  assert.ok(turn <= TURN_MS_MAX, `${what}: ${turn} ms`)
}

const type = { 'content-type': 'application/json' }
const post = (path: string, body: string) =>
  callWorld(served.instance, world, 'POST', path, { headers: type, body: Buffer.from(body) })

test('nobody waits for a body, whatever stands in it', async () => {
  const bodies: Record<string, string> = {
    'a string without an end': `{"${'a'.repeat(MEGABYTE)}`,
    'brackets without an end': '['.repeat(MEGABYTE),
    'numbers and a fault': `[${'1,'.repeat(MEGABYTE / 2)}x]`,
    'numbers and a long one': `[${'1,'.repeat(MEGABYTE / 2)}12345678901234567890]`,
    'long numbers of zeros': `[${`1${'0'.repeat(990)}1,`.repeat(MEGABYTE / 1_000)}1]`,
    escapes: `{"${'\\u0061'.repeat(MEGABYTE / 6)}":1}`,
    'keys of objects': `[${'{"a":1,"b":{"c":2}},'.repeat(MEGABYTE / 20)}1]`,
  }
  for (const [what, body] of Object.entries(bodies)) {
    await heldUp(what, () => post('/api/events', body))
    await heldUp(`${what}, of nobody`, () =>
      send('POST', `${served.instance.baseUrl}/site/auth/login`, { headers: type, body }),
    )
  }
})

test('nobody waits for the largest body that an operation takes, whatever it is filled with', async () => {
  const routes = await declaredRoutes()
  const seeding = { instance: served.instance, routes }
  const shared = new Set(routes.map(({ operationId }) => operationId))
  const isTwin = ({ operationId }: DeclaredRoute) =>
    shared.has(operationId.replace(/^Site/, '')) && /^Site/.test(operationId)
  const taking = routes.filter((route) => route.body && !isTwin(route))
  assert.ok(taking.length > 80)
  const isOfPerson = ({ path }: DeclaredRoute) =>
    path.startsWith('/site/') && !path.startsWith('/site/workspaces/{slug}')
  const ids: Record<string, string> = {}
  for (const [n, route] of taking.entries()) {
    if (!isOfPerson(route))
      for (const { kind } of kindsIn(route.path)) ids[kind] ??= await seed(seeding, world, { kind, parents: ids })
    const path = isOfPerson(route) ? route.path.replaceAll(/\{\w+\}/g, '1') : pathWith(route, world.slug, ids)
    const body = Buffer.from(largestBody(route.body!, { unit: UNITS[n % UNITS.length]!, bytesMax: MEGABYTE }))
    await heldUp(route.operationId, async () => {
      const { status, text } = await callWorld(served.instance, world, route.method, path, { headers: type, body })
      assert.ok(status !== 500, `${route.operationId} ${text}`)
    })
  }
})

test('nobody waits for a message with files, though its body may have 25 MiB', async () => {
  const large = 25 * MEGABYTE - 1_000
  const bodies: Record<string, string> = {
    numbers: `[${'1,'.repeat(large / 2)}1]`,
    'a string without an end': `{"text":"${'a'.repeat(large)}`,
    escapes: `{"text":"${'\\n'.repeat(large / 2)}"}`,
  }
  for (const [what, body] of Object.entries(bodies)) await heldUp(what, () => post('/api/emails', body))
  const { status, json } = await post('/api/emails', bodies.numbers!)
  assert.deepEqual([status, json.code], [413, 'body-too-large'])
  const content = Buffer.alloc(3 * MEGABYTE, 'file').toString('base64')
  const attachments = [{ fileName: 'a.bin', contentType: 'application/octet-stream', content }]
  const message = { destination: 'ada@example.com', subject: 'x', text: 'x', attachments }
  const sent = await post('/api/emails', JSON.stringify(message))
  assert.equal(sent.status, 422, sent.text)
  assert.match(sent.json.detail, /^\/fromEmail/, 'nothing is said against the files')
})

test('nobody waits for what browsers, agents and files bring', async () => {
  const made = await callWorld(served.instance, world, 'POST', '/api/trackers', {
    json: { name: 'shop', allowedOrigins: ['https://shop.example'] },
  })
  assert.equal(made.status, 201, made.text)
  const collect = { ...type, origin: 'https://shop.example', 'x-collect-key': made.json.key }
  const names = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`n${n}`, '<']))
  const event = (fill: object) => ({ id: randomBytes(16).toString('hex'), action: 'seen', visitorId: 'v', ...fill })
  const events = Array.from({ length: 15 }, () =>
    event({ properties: names, context: { url: `/${'<'.repeat(2_000)}` } }),
  )
  const calls: Record<string, () => Promise<unknown>> = {}
  const bodies = {
    events: JSON.stringify({ events }),
    names: JSON.stringify({ events: [Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`n${n}`, 1]))] }),
    numbers: `{"events":[${'1,'.repeat(250_000)}1]}`,
  }
  for (const [what, body] of Object.entries(bodies))
    calls[what] = () => send('POST', `${served.instance.baseUrl}/collect/events`, { headers: collect, body })
  for (const unit of ['{{ a ', '" ', 'a,"']) {
    const given = { name: 'contacts_search', arguments: { search: unit.repeat(300_000 / unit.length) } }
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given }
    const headers = { accept: 'application/json, text/event-stream' }
    calls[`agent ${unit}`] = () => callWorld(served.instance, world, 'POST', '/mcp', { json, headers })
    const file = Buffer.from(unit.repeat((2 * MEGABYTE) / unit.length))
    calls[`file ${unit}`] = () =>
      callWorld(served.instance, world, 'POST', '/api/contacts/imports?fileName=a.csv', {
        headers: { 'content-type': 'text/csv' },
        body: file,
      })
  }
  for (const [what, call] of Object.entries(calls)) await heldUp(what, call)
})

test('nobody waits for a mail of ten megabytes, when it comes in by SMTP and when it goes out', async () => {
  const bytes = 10 * MEGABYTE
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const head = 'From: a@shop.example\r\nTo: b@receiver.example\r\nSubject: x\r\n\r\n'
  const at = new Date(0)
  for (const line of ['', '.', ' \t', 'a', ' a'.repeat(400), '\ta'.repeat(400)]) {
    const raw = Buffer.from(head + `${line}\r\n`.repeat(bytes / (line.length + 2)))
    const named = `lines of ${JSON.stringify(line.slice(0, 10))}`
    await heldUp(`${named} come in`, async () => {
      const read = readSubmission({ raw, recipients: ['b@receiver.example'] }, at)
      assert.ok(!('fault' in read), named)
    })
    await heldUp(`${named} go out`, async () => {
      const kept = keptMail(raw, { messageId: 'x@shop.example', keepsMessageId: false, date: at })
      await new Promise((resolve) => setImmediate(resolve))
      dotStuff(await signMessage(kept, { domain: 'shop.example', selector: 's', privateKey }, at))
    })
  }
})

test('nobody waits for a preview, whatever the template does and its variables hold', async () => {
  const spaces = ' '.repeat(100_000)
  const loops = '{% for a in (1..300) %}{% for b in (1..300) %}{{ a | plus: b }}{% endfor %}{% endfor %}'
  const previews: Record<string, object> = {
    spaces: { subject: 'x', body: '<p>{{ x }}y</p>', variables: { x: `${spaces}z` } },
    loops: { subject: loops, body: `<p>${loops}</p>`, text: loops },
    'long texts': {
      subject: 'x',
      body: '<p>{{ x | upcase | escape | url_encode }}</p>',
      variables: { x: '<'.repeat(200_000) },
    },
  }
  for (const [what, json] of Object.entries(previews)) {
    await heldUp(what, async () => {
      const { status } = await callWorld(served.instance, world, 'POST', '/api/templates/preview', { json })
      assert.ok(status === 200 || status === 422, `${what}: ${status}`)
    })
  }
})

test('nobody waits for the first visit of the reference', async () => {
  const visit = async () => {
    const { status } = await send('GET', `${served.instance.baseUrl}/docs/`)
    assert.equal(status, 200)
  }
  await heldUp('the page', visit, { triesMax: 1 })
})

test('nobody waits for long headers and paths', async () => {
  const headers = { cookie: 'a=b; '.repeat(2_500), 'user-agent': 'duckduckgo '.repeat(200) }
  for (const path of [
    '/site/workspaces',
    `/hooks/${'1'.repeat(1_500)}/events`,
    `/e/u/${randomBytes(600).toString('hex')}`,
  ]) {
    await heldUp(path.slice(0, 20), () => send('GET', served.instance.baseUrl + path, { headers }))
  }
})
