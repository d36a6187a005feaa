import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { callWorld, type World, worldIn } from '../contract/isolation-seeds.ts'
import { send } from '../support/http-client.ts'
import { leastMs } from '../support/processor-time.ts'
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
