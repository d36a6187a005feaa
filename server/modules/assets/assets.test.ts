import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type DescribedApi, describedApi } from '../../../test/contract/described-api.ts'
import { send } from '../../../test/support/http-client.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { startTestedInstance, type TestedInstance } from '../../../test/support/tested-instance.ts'
import { imageOf } from './image-of.ts'
import { LOADS_AT_ONCE, LOADS_WAITING_MAX } from './image-store.ts'

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), pair(640, 480), Buffer.alloc(9)])
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108012c01900301220002110103', 'hex')
const LOSSY = webp('VP8 ', '3001009d012a8002e001')
const LOSSLESS = webp('VP8L', '2f7fc27700')
const EXTENDED = webp('VP8X', '100000007f0200df0100')

function pair(width: number, height: number): Buffer {
  const sides = Buffer.alloc(8)
  sides.writeUInt32BE(width, 0)
  sides.writeUInt32BE(height, 4)
  return sides
}

function webp(kind: string, body: string): Buffer {
  const content = Buffer.from(body, 'hex')
  return Buffer.concat([
    Buffer.from('RIFF'),
    Buffer.alloc(4),
    Buffer.from(`WEBP${kind}`),
    Buffer.alloc(4),
    content,
    Buffer.alloc(20),
  ])
}

let instance: TestedInstance
let api: DescribedApi
before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const upload = (content: Buffer, name = 'a.gif') =>
  api.call('POST', '/api/assets', { json: { name, data: content.toString('base64') } })

test('a picture is what its bytes are, with its size in pixels, and nothing else is one', () => {
  const facts = (bytes: Buffer) => Object.values(imageOf(bytes) ?? {})
  assert.deepEqual(facts(GIF), ['image/gif', 1, 1])
  assert.deepEqual(facts(PNG), ['image/png', 640, 480])
  assert.deepEqual(facts(JPEG), ['image/jpeg', 400, 300])
  for (const bytes of [LOSSY, LOSSLESS, EXTENDED]) assert.deepEqual(facts(bytes), ['image/webp', 640, 480])
  for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', 'GIF89a', '%PDF-1.7', 'RIFF']) {
    assert.equal(imageOf(Buffer.from(text)), undefined, text)
  }
  for (const whole of [GIF, PNG, JPEG, LOSSY]) {
    for (let length = 0; length < whole.length; length += 1) imageOf(whole.subarray(0, length))
  }
})

test('an image is seen by everybody at an address that never changes, and by nobody once it is deleted', async () => {
  const { status, json } = await upload(GIF, ' pixel.gif ')
  assert.deepEqual(
    [status, json.name, json.type, json.bytes, json.width, json.height],
    [201, 'pixel.gif', 'image/gif', 42, 1, 1],
  )
  const again = await upload(GIF, 'other.gif')
  assert.deepEqual(again.json, json)
  const address = `${instance.baseUrl}${new URL(json.url).pathname}`
  const shown = await fetch(address)
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), GIF)
  const header = (name: string) => shown.headers.get(name)
  assert.equal(header('content-type'), 'image/gif')
  assert.equal(header('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.equal(header('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(header('cross-origin-resource-policy'), 'cross-origin')
  const { json: list } = await api.call('GET', '/api/assets')
  assert.deepEqual([list.totalItems, list.items], [1, [json]])
  for (const wrong of [address.replace('.gif', '.png'), address.replace('/images/1/', '/images/2/'), `${address}x`]) {
    assert.equal((await fetch(wrong)).status, 404, wrong)
  }
  assert.equal((await api.call('DELETE', `/api/assets/${json.id}`)).status, 204)
  assert.equal((await fetch(address)).status, 404)
})

test('a picture that its reader has is not sent again, and one that is only asked about has its size', async () => {
  const { json } = await upload(PNG, 'tagged.png')
  const address = `${instance.baseUrl}${new URL(json.url).pathname}`
  const etag = `"${createHash('sha256').update(PNG).digest('hex')}"`
  const about = await fetch(address, { method: 'HEAD' })
  const header = (name: string) => about.headers.get(name)
  assert.deepEqual([about.status, header('content-type'), header('etag')], [200, 'image/png', etag])
  assert.equal(header('content-length'), String(PNG.length))
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const same = await fetch(address, { headers: { 'if-none-match': known } })
    assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, etag, ''], known)
    assert.equal(same.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  }
  const other = await fetch(address, { headers: { 'if-none-match': '"x"' } })
  assert.deepEqual([other.status, Buffer.from(await other.arrayBuffer())], [200, PNG])
  await instance.sql('update assets set content = $1 where id = $2', [Buffer.from('read again'), json.id])
  assert.deepEqual(Buffer.from(await (await fetch(address)).arrayBuffer()), PNG, 'it is read once')
})

test('pictures are read once for all who ask, a few at a time, and more than can wait are told to come again', async () => {
  const count = LOADS_AT_ONCE + LOADS_WAITING_MAX + 1
  const rows = await instance.sql<{ digest: string }>(
    `insert into assets (workspace_id, name, type, bytes, width, height, digest, content)
     select 1, 'many', 'image/gif', length(content), 1, 1, sha256(content), content
       from (select $1::bytea || int4send(n) as content from generate_series(1, $2::int) n) made
     returning encode(digest, 'hex') as digest`,
    [GIF, count],
  )
  const addresses = rows.map(({ digest }) => `${instance.baseUrl}/images/1/${digest}.gif`)
  for (const address of addresses) assert.equal((await fetch(address, { method: 'HEAD' })).status, 200)
  const get = async (address: string) => {
    const answer = await fetch(address)
    return {
      status: answer.status,
      wait: answer.headers.get('retry-after'),
      bytes: (await answer.arrayBuffer()).byteLength,
    }
  }
  const [first = ''] = addresses
  const answers = await withClient(instance.database.superuserUrl, async (client) => {
    await client.query('begin; lock table assets')
    const asked = [...addresses, first, first].map(get)
    const refused = await Promise.race(asked)
    assert.deepEqual([refused.status, refused.wait], [503, '1'])
    await client.query('commit')
    return Promise.all(asked)
  })
  const shown = answers.filter(({ status }) => status === 200)
  assert.ok(shown.length >= count - 1, `${shown.length}`)
  assert.ok(shown.every(({ bytes }) => bytes === GIF.length + 4))
  for (const address of addresses) assert.equal((await get(address)).status, 200)
})

test('what is no picture, too large a one, or no base64 is refused with its field', async () => {
  const pointer = async (answer: ReturnType<typeof upload>) => {
    const { status, json } = await answer
    return [status, json.errors[0].pointer]
  }
  assert.deepEqual(await pointer(upload(Buffer.from('<svg/>'))), [422, '/data'])
  const large = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), pair(10_001, 1)])
  assert.deepEqual(await pointer(upload(large)), [422, '/data'])
  assert.deepEqual(await pointer(upload(GIF, ' ')), [400, '/name'])
  assert.deepEqual(await pointer(api.call('POST', '/api/assets', { json: { name: 'a', data: 'no base64' } })), [
    400,
    '/data',
  ])
  assert.equal((await send('POST', `${instance.baseUrl}/api/assets`)).status, 401)
})
