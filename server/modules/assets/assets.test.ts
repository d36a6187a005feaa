import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DescribedApi, describedApi } from '../../../test/contract/described-api.ts'
import { send } from '../../../test/support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../../../test/support/tested-instance.ts'
import { imageOf } from './image-of.ts'

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
