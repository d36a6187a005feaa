import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { secretKeys } from '../../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { wholeText } from '../../../platform/mail/mail-text.ts'
import { createContact } from '../../contacts/create-contact.ts'
import type { ClaimedMessage } from '../../sending/message-source.ts'
import { createCompiledCache } from '../../templates/compiled-cache.ts'
import { createLinkKeys } from '../../tracking/link-keys.ts'
import { createMessageLinks } from '../../tracking/message-links.ts'
import { createBroadcast } from '../manage-broadcasts.ts'
import { broadcastSource } from './broadcast-source.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
const deps = { sql: pool }
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
const links = createMessageLinks({ keys, baseUrl: new URL('https://mail.example/') })
const source = broadcastSource({ compiled: createCompiledCache(), links })
const sender = { email: 'news@sender.example', name: 'News' }

const BODY = `<mjml><mj-body><mj-section><mj-column><mj-text>
  Hello {{ first_name | default: "you" }} of {{ company }}, <a href="https://shop.example/?c={{ company }}">look</a>.
  <a href="{{ unsubscribe_url }}">Unsubscribe</a> {{ postal_address }}
</mj-text></mj-column></mj-section></mj-body></mjml>`

async function draft(content: object = {}) {
  const body = { name: 'News', subject: 'Hello {{ first_name }}', body: BODY, ...content }
  return (await createBroadcast(deps, caller, body)).id
}
let messages = 100
function messageTo(sourceId: string, contact: { id: string; email: string | null }): ClaimedMessage {
  const id = String(++messages)
  const destination = contact.email ?? 'gone@b.example'
  const of = {
    workspaceId,
    purpose: 'marketing',
    sourceKind: 'broadcast',
    sourceId,
    attempt: 0,
    metadata: null,
    topicId: null,
  } as const
  return { ...of, id, createdAt: '2026-11-21T10:00:00Z', contactId: contact.id, destination }
}
type Content = Exclude<Awaited<ReturnType<typeof contentOf>>[number], { fault: string }>
async function contentOf(batch: ClaimedMessage[]) {
  const prepared = await inTransaction(pool, workspaceId, (tx) =>
    source.prepare(tx, { workspaceId, messages: batch, sender }),
  )
  await prepared.finish?.()
  const contents = await Promise.all(batch.map((message) => prepared.contentOf(message)))
  return contents.map((content) => ('fault' in content ? content : { ...content, html: wholeText(content.html ?? '') }))
}
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })

test('what is to be compiled is read in the transaction, and compiled after it', async () => {
  const id = await draft()
  let compiling = 0
  const slow = broadcastSource({
    links,
    compiled: {
      compile() {
        compiling++
        return new Promise<never>(() => undefined)
      },
    },
  })
  const prepared = await inTransaction(pool, workspaceId, (tx) =>
    slow.prepare(tx, { workspaceId, messages: [messageTo(id, { id: '1', email: 'ada@a.example' })], sender }),
  )
  assert.equal(compiling, 0)
  void prepared.finish?.()
  assert.equal(compiling, 1)
})

test('each person gets their own content, links and way out', async () => {
  const ada = await createContact(deps, caller, {
    ...{ email: 'ada@a.example', firstName: 'Ada', lastName: 'Lovelace' },
    customFields: { company: 'Engines & Co' },
  })
  const bob = await createContact(deps, caller, { email: 'bob@a.example' })
  const id = await draft()
  const [toAda, toBob] = (await contentOf([messageTo(id, ada), messageTo(id, bob)])) as [Content, Content]
  assert.deepEqual(toAda.from, { address: 'news@sender.example', name: 'News' })
  assert.deepEqual(toAda.to, [{ address: 'ada@a.example', name: 'Ada Lovelace' }])
  assert.deepEqual(toBob.to, [{ address: 'bob@a.example', name: null }])
  assert.equal(toAda.subject, 'Hello Ada')
  assert.match(toAda.html, /Hello Ada of Engines &amp; Co/)
  assert.match(toBob.html, /Hello you of /)
  assert.match(toAda.text!, /Hello Ada of Engines & Co/)
  for (const one of [toAda, toBob]) {
    assert.match(one.html, /href="https:\/\/mail\.example\/e\/c\/[^"]+"/)
    assert.match(one.html, /src="https:\/\/mail\.example\/e\/o\/[^"]+"/)
    assert.ok(one.html.includes(one.oneClickUrl!), 'the link in the mail is that of the header')
    assert.doesNotMatch(one.html, /shop\.example/)
  }
  assert.notEqual(toAda.oneClickUrl, toBob.oneClickUrl)
})

test('what is not to be tracked is not, and the postal address stands where it is put', async () => {
  await rows(
    `insert into sending_settings (workspace_id, track_opens, track_clicks, postal_address) values ($1, false, false, '1 Analytical Way')`,
    [workspaceId],
  )
  const contact = await createContact(deps, caller, { email: 'quiet@a.example' })
  const [content] = (await contentOf([messageTo(await draft(), contact)])) as [Content]
  assert.match(content.html, /https:\/\/shop\.example\//)
  assert.doesNotMatch(content.html, /\/e\/[oc]\//)
  assert.match(content.html, /1 Analytical Way/)
  await rows('delete from sending_settings where workspace_id = $1', [workspaceId])
})

test('one person for whom it cannot be rendered fails alone, and one who is gone is told apart', async () => {
  const contact = await createContact(deps, caller, { email: 'zero@a.example', customFields: { parts: 9_000_000 } })
  const fine = await createContact(deps, caller, { email: 'fine@a.example', customFields: { parts: 2 } })
  const id = await draft({ body: '<p>{% for n in (1..parts) %}x{% endfor %} {{ unsubscribe_url }}</p>' })
  const gone = { id: '999999', email: null }
  const [failed, rendered, missing] = await contentOf([contact, fine, gone].map((one) => messageTo(id, one)))
  assert.ok(
    'fault' in failed! && failed.fault === 'render_failed' && /makes more than/.test(failed.detail),
    JSON.stringify(failed),
  )
  assert.ok('html' in rendered! && rendered.html?.includes('<p>xx '))
  assert.ok('fault' in missing! && missing.fault === 'contact_gone')
})

test('a name is data: what is written in it stays text', async () => {
  const contact = await createContact(deps, caller, {
    email: 'mallory@a.example',
    firstName: '{{ email }}<script>alert(1)</script>',
  })
  const [content] = (await contentOf([messageTo(await draft(), contact)])) as [Content]
  assert.doesNotMatch(content.html, /<script>/)
  assert.ok(content.subject.startsWith('Hello {{ email }}'))
})
