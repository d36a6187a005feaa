import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createLinkKeys, type LinkPurpose } from './link-keys.ts'
import { readToken, TOKEN_CHARS_MAX } from './link-token.ts'
import { clickOf, createMessageLinks, type LinkedMessage, linkedMessageOf } from './message-links.ts'

const { pool } = await testWorkspace()
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
const links = createMessageLinks({ keys, baseUrl: new URL('https://mail.example.com/') })
await links.ready()

const MESSAGE: LinkedMessage = {
  workspaceId: '9007199254740993',
  messageId: '9223372036854775807',
  contactId: '42',
  destination: 'ada@example.com',
  sendingSource: 'broadcasts',
}
const PURPOSES: LinkPurpose[] = ['open', 'click', 'unsubscribe', 'confirm']
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

test('each link says what it was made of, and only to who reads its kind', async () => {
  const made = links.of(MESSAGE)
  const click = made.clickUrl('https://shop.example/ä?q=1&r=%20#top', 7)
  assert.deepEqual(clickOf((await readToken(keys, 'click', tokenOf(click)))!), {
    workspaceId: MESSAGE.workspaceId,
    messageId: MESSAGE.messageId,
    link: 7,
    url: 'https://shop.example/ä?q=1&r=%20#top',
  })
  assert.deepEqual(linkedMessageOf((await readToken(keys, 'unsubscribe', tokenOf(made.unsubscribeUrl)))!), MESSAGE)
  const anonymous = { ...MESSAGE, contactId: null, sendingSource: 'automation:5' } as const
  const stranger = tokenOf(links.of(anonymous).preferencesUrl)
  assert.deepEqual(linkedMessageOf((await readToken(keys, 'unsubscribe', stranger))!), anonymous)

  const kinds: [LinkPurpose, string][] = [
    ['open', made.openUrl],
    ['click', click],
    ['unsubscribe', made.unsubscribeUrl],
  ]
  for (const [kind, url] of kinds) {
    for (const other of PURPOSES.filter((purpose) => purpose !== kind)) {
      assert.equal(await readToken(keys, other, tokenOf(url)), undefined, `${kind} read as ${other}`)
    }
  }
})

test('the same message always has the same links, and no other message has them', () => {
  const urls = (message: LinkedMessage) => {
    const { openUrl, unsubscribeUrl, clickUrl } = links.of(message)
    return [openUrl, unsubscribeUrl, clickUrl('https://example.com/', 0)]
  }
  assert.deepEqual(urls(MESSAGE), urls({ ...MESSAGE }))
  const others = urls({ ...MESSAGE, messageId: '2' })
  for (const [at, url] of urls(MESSAGE).entries()) assert.notEqual(url, others[at])
})

test('an unsubscribe link does not show whom it is for', () => {
  const bytes = Buffer.from(tokenOf(links.of(MESSAGE).unsubscribeUrl), 'base64url').toString('latin1')
  for (const word of ['ada', 'example', 'broadcasts', MESSAGE.messageId]) assert.ok(!bytes.includes(word), word)
})

test('only what leads to another site is tracked, and no path grows too long', async () => {
  const { clickUrl, unsubscribeUrl } = links.of(MESSAGE)
  for (const url of [
    'mailto:a@example.com',
    'tel:+1',
    '#top',
    '',
    '/path',
    'javascript:alert(1)',
    'https://',
    'http://[',
    unsubscribeUrl,
  ]) {
    assert.equal(clickUrl(url, 0), url)
  }
  const long = `https://example.com/${'ä'.repeat(690)}`
  const tracked = clickUrl(long, 32_767)
  assert.ok(tokenOf(tracked).length <= TOKEN_CHARS_MAX)
  assert.equal(clickOf((await readToken(keys, 'click', tokenOf(tracked)))!).url, long)
  const longer = `https://example.com/${'ä'.repeat(720)}`
  assert.equal(clickUrl(longer, 0), longer)
  const broken = clickUrl(' https://example.com/a\n?b=1 ', 3)
  assert.equal(clickOf((await readToken(keys, 'click', tokenOf(broken)))!).url, 'https://example.com/a?b=1')
})

test('no token that was changed, cut, lengthened, spelt otherwise or made up is read', async () => {
  const seed = seedFrom('LINKS_SEED')
  console.log(`LINKS_SEED=${seed}`)
  const random = seededRandom(seed)
  const made = links.of(MESSAGE)
  const tokens: [LinkPurpose, string][] = [
    ['open', tokenOf(made.openUrl)],
    ['click', tokenOf(made.clickUrl('https://example.com/', 1))],
    ['unsubscribe', tokenOf(made.unsubscribeUrl)],
  ]
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. '
  for (const [purpose, token] of tokens) {
    const refused = async (forged: string) =>
      assert.equal(await readToken(keys, purpose, forged), undefined, `${purpose}: ${forged}`)
    for (let at = 0; at < token.length; at++) {
      for (const letter of alphabet) {
        if (letter !== token[at]) await refused(token.slice(0, at) + letter + token.slice(at + 1))
      }
      await refused(token.slice(0, at))
    }
    for (const letter of alphabet) await refused(token + letter)
    for (let n = 0; n < 1_000; n++) {
      const bytes = Buffer.from(token, 'base64url')
      // The key id stays right, so that the code is what refuses it.
      for (let at = 2; at < bytes.length; at++) if (random() < 0.5) bytes[at] = Math.floor(random() * 256)
      const forged = bytes.toString('base64url')
      if (forged !== token) await refused(forged)
    }
  }
})
