import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * Pictures as they come of a camera, and files that are none, dropped on a mail.
 */

const skip = WITHOUT_BROWSER
const BODY =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Words <a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text></mj-column></mj-section></mj-body></mjml>'
const BYTES_MAX = 2 * 1024 * 1024

let world: World
let opened: WatchedPage
let id: string
before(async () => {
  if (skip) return
  world = await openWorld()
  id = (await world.site('POST', '/broadcasts', { name: 'News', subject: 'News', body: BODY })).json.id
  opened = await world.open(`/app/default/broadcasts/${id}`)
  await settled(opened.page)
  await opened.page.getByRole('list', { name: 'Blocks of the mail' }).getByText('Words').click()
  await opened.page.getByRole('textbox', { name: 'Text', exact: true }).waitFor()
})
after(() => world?.close())

/** Drops a file that this makes beside the words of the mail; whether the browser was kept from opening it. */
const dropped = (made: string) =>
  opened.page.evaluate<boolean>(`(async () => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(await (${made})())
    const place = [...document.querySelectorAll('select, input')].find(({ id }) => id === 'block-align')
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    place.dispatchEvent(drop)
    return drop.defaultPrevented
  })()`)

/** Noise of three million dots, which no format makes small. */
const PHOTO = `async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 2400, height: 1200 })
  const drawn = canvas.getContext('2d')
  const noise = drawn.createImageData(2400, 1200)
  for (let at = 0; at < noise.data.length; at += 65536) crypto.getRandomValues(noise.data.subarray(at, at + 65536))
  for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = 255
  drawn.putImageData(noise, 0, 0)
  return new File([await new Promise((done) => canvas.toBlob(done, 'image/png'))], 'IMG_4711.PNG', { type: 'image/png' })
}`
const FILM = `async () => new File([new Uint8Array(${BYTES_MAX + 1})], 'film.gif', { type: 'image/gif' })`
const LETTER = `async () => new File(['%PDF'], 'letter.pdf', { type: 'application/pdf' })`

test('a photo as it comes of a camera is made small enough for a mail', { skip }, async () => {
  assert.equal(await dropped(PHOTO), true)
  await opened.page.getByText('“IMG_4711.jpg” was made smaller: it is 1600 × 800 now.').waitFor()
  const [image] = (await world.site('GET', '/assets')).json.items
  assert.deepEqual([image.name, image.width, image.height], ['IMG_4711.jpg', 1600, 800])
  assert.ok(image.bytes <= BYTES_MAX)
  await eventually('it is in the mail', async () =>
    (await world.site('GET', `/broadcasts/${id}`)).json.body.includes(`<mj-image src="${image.url}"`),
  )
})

test('a file that no mail can have says so, and the page stays', { skip }, async () => {
  assert.equal(await dropped(FILM), true)
  await opened.page.getByText('“film.gif” is too large').waitFor()
  await opened.page.getByText('An image of a mail may have at most 2 MiB.').waitFor()
  assert.equal(await dropped(LETTER), true)
  await opened.page.getByText('That is no image of a mail: PNG, JPEG, GIF and WebP are.').waitFor()
  assert.equal((await world.site('GET', '/assets')).json.totalItems, 1)
  assert.deepEqual(opened.faults, [])
})
