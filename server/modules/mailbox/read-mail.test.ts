import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import PostalMime from 'postal-mime'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { messageRoutes } from './message-routes.ts'
import { framedHtml, openMail } from './open-mail.ts'
import { createMailOpener, OPEN_CPU_MS_MAX, oneClickUrlOf } from './read-mail.ts'

/** Of a processor, for a megabyte. */
const FRAMED_MS_MAX = 3_000

async function oneClickOf(url: string): Promise<string | undefined> {
  const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'
  return oneClickUrlOf(await PostalMime.parse(`List-Unsubscribe: <${url}>\r\n${post}\r\n\r\n`))?.href
}

test('the one-click button leads to the unsubscribe link of the mail, and never to a page of ours', async () => {
  assert.equal(await oneClickOf('http://localhost:3000/e/u/abc'), 'http://localhost:3000/e/u/abc')
  assert.equal(await oneClickOf('http://[::1]:3000/e/u/abc'), 'http://[::1]:3000/e/u/abc')
  for (const path of ['app/logout', '%61pp/logout', 'e/../app/mailbox/default/clear']) {
    assert.equal(await oneClickOf(`http://localhost:3000/${path}`), undefined, path)
  }
  for (const path of ['', 'api/contacts', 'e/u/', 'e/c/abc', 'e/u/abc?and=more', 'e/u/abc/more', 'xe/u/abc']) {
    assert.equal(await oneClickOf(`http://192.168.1.1/${path}`), undefined, path)
  }
  assert.equal(await oneClickOf('http://somebody@localhost:3000/e/u/abc'), undefined)
  assert.equal(await oneClickOf('https://mail.example/postroom/e/u/abc'), 'https://mail.example/postroom/e/u/abc')
  assert.equal(await oneClickOf('https://a;sandbox/'), undefined)
  assert.equal(await oneClickOf('mailto:leave@example.com'), undefined)
})

test('a picture that is shown over and over does not make a mail grow without end', async () => {
  const content = new Uint8Array(4 * 1024 * 1024)
  const picture = {
    filename: 'a.png',
    mimeType: 'image/png',
    disposition: 'inline',
    contentId: '<a>',
    content,
  } as const
  const parsed = await PostalMime.parse(`Content-Type: text/html\r\n\r\n${'<img src="cid:a">'.repeat(100)}`)
  const framed = framedHtml({ ...parsed, attachments: [picture] })
  assert.match(framed, /^<base target="_blank"><img src="data:image\/png;base64,AAAA/)
  assert.ok(framed.length < 65 * 1024 * 1024)
  assert.match(framed, /<img src="cid:a">\s*$/)
})

test('links open outside the frame by a word in the head, wherever that is', async () => {
  const framed = async (html: string) =>
    framedHtml(await PostalMime.parse(`Content-Type: text/html\r\n\r\n${html}`)).trim()
  assert.equal(
    await framed('<!-- <head> --><HEAD\n lang=en><p>'),
    '<!-- <head> --><HEAD\n lang=en><base target="_blank"><p>',
  )
  assert.equal(await framed('<header><p>'), '<base target="_blank"><header><p>')
})

test('a mail of nothing but heads that do not end is shown in the time of any other', async () => {
  const parsed = await PostalMime.parse(`Content-Type: text/html\r\n\r\n${'<head '.repeat(160_000)}`)
  const tookMs = await leastMs(FRAMED_MS_MAX, () => processorMs(() => framedHtml(parsed)))
  assert.ok(tookMs <= FRAMED_MS_MAX, `${tookMs} ms`)
})

const opener = createMailOpener()
after(() => opener.close())

test('a mail that takes too long to take apart is given up, and the next one is opened', async () => {
  const endless = Buffer.from(`Subject: lines\r\n\r\n${'a\r\n'.repeat(8_000_000)}`)
  const sound = Buffer.from('Subject: sound\r\nTo: a@x.test\r\n\r\nhello\r\n')
  const [given, opened] = await Promise.all([
    opener.run({ raw: endless, keys: [], part: 'page' }),
    opener.run({ raw: sound, keys: [], part: 'page' }),
  ])
  assert.equal(given.outcome, 'stopped')
  assert.ok(opened.outcome === 'page')
  assert.deepEqual([opened.page.subject, opened.page.text.trim()], ['sound', 'hello'])
})

test('an answer that opens a mail waits longer than a mail may take', () => {
  const deadlines = new Map<string, number | undefined>()
  const get = (path: string, { config }: { config: { deadlineMs?: number } }) => deadlines.set(path, config.deadlineMs)
  messageRoutes({ get } as never, {} as never)
  deadlines.delete('/app/mailbox/:slug/:id/message.eml')
  assert.deepEqual([...deadlines.keys()].sort(), [
    '/app/mailbox/:slug/:id',
    '/app/mailbox/:slug/:id/attachments/:index',
    '/app/mailbox/:slug/:id/html',
  ])
  for (const [path, deadlineMs = 0] of deadlines) assert.ok(deadlineMs > 2 * OPEN_CPU_MS_MAX, path)
})

test('what a page shows of a mail is cut, however long its parts are', async () => {
  const raw = Buffer.from(
    `${'X-A: b\r\n'.repeat(20_000)}To: ${'a@x.test,'.repeat(5_000)}\r\n\r\n${'long '.repeat(400_000)}`,
  )
  const opened = await openMail({ raw, keys: [], part: 'page' })
  assert.ok(opened.outcome === 'page')
  const { headers, text, to } = opened.page
  assert.deepEqual([headers.length, to?.length ?? 0, text.length], [1_000, 1_000, 512 * 1024])
})
