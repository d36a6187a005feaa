import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { testSender } from '../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { wholeText } from '../../platform/mail/mail-text.ts'
import { createContact } from '../contacts/create-contact.ts'
import { type ClaimedMessage, ORIGIN } from '../sending/message-source.ts'
import { CompilerBusyError } from '../templates/compile-template.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate, deleteTemplate } from '../templates/manage-templates.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { createMessageLinks } from '../tracking/message-links.ts'
import { checkEmail } from './check-email.ts'
import { emailSource } from './email-source.ts'
import { finishContent, ownSource } from './finish-content.ts'
import type { EmailBody } from './schemas.ts'
import { sendEmail, sendEmailBatch } from './send-emails.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k', key: randomBytes(32) }]) })
const compiled = createCompiledCache()
const deps = {
  sql: pool,
  compiled,
  sender: testSender(),
  links: createMessageLinks({ keys, baseUrl: new URL('https://mail.example/') }),
}
const source = emailSource(deps, 'email')
// The thread that lays out is there: on a machine with much to do its start takes longer than a request may.
await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })
const sender = { email: 'shop@shop.example', name: 'Shop' }

async function claimed(ids: readonly string[]): Promise<ClaimedMessage[]> {
  const rows = await queryInScope<ClaimedMessage>(pool, workspaceId, {
    text: `select workspace_id as "workspaceId", id, created_at as "createdAt", ${ORIGIN},
      contact_id as "contactId", destination, 1 as attempt from messages m where id = any ($1::bigint[]) order by id`,
    values: [ids],
  })
  return rows
}

/** Contents that go out for a request. */
async function contentsOf(...ids: string[]) {
  const messages = await claimed(ids)
  const prepared = await inTransaction(pool, workspaceId, (tx) => source.prepare(tx, { workspaceId, messages, sender }))
  await prepared.finish?.()
  const contents = await Promise.all(messages.map((message) => prepared.contentOf(message)))
  return contents.map((content) =>
    'fault' in content ? content : { ...content, html: content.html === null ? null : wholeText(content.html) },
  )
}

async function contentOf(body: Partial<EmailBody>) {
  const { id } = await sendEmail(deps, caller, { destination: 'ada@example.com', ...body })
  const [content] = await contentsOf(id)
  assert.ok(content && !('fault' in content), JSON.stringify(content))
  return content
}

test('content of its own goes out character for character, Liquid or not, and gets a text part', async () => {
  const html = '<p>{{ name }} {% endraw %} &copy; <a href="https://example.com/?a=1&b={{ x }}">link</a></p>\n'
  const content = await contentOf({ subject: '{{ subject }}', html, liquid: false })
  assert.equal(content.subject, '{{ subject }}')
  assert.equal(content.html, html)
  assert.match(content.text!, /\{\{ name \}\} \{% endraw %\} ©/)
  const given = await contentOf({ subject: 'x', html, text: '{{ text }}', liquid: false })
  assert.deepEqual([given.html, given.text], [html, '{{ text }}'])
  const plain = await contentOf({ subject: 'x', text: 'only {{ text }}', liquid: false })
  assert.deepEqual([plain.html, plain.text], [null, 'only {{ text }}'])
})

test('HTML whose text is not made in time is taken at once, and the sender makes the text', async () => {
  const html = '<p>{{ name }} &copy; <a href="https://example.com/?a=1&b=2">link</a></p>\n'
  const stalled = { ...deps, compiled: { compile: () => new Promise<never>(() => undefined) } }
  const body = { destination: 'ada@example.com', subject: 'x', liquid: false }
  const startedAt = performance.now()
  const { id } = await sendEmail(stalled, caller, { ...body, html })
  const batch = await sendEmailBatch(stalled, caller, [
    { ...body, html },
    { ...body, html },
  ])
  assert.deepEqual(
    batch.map(({ status }) => status),
    ['queued', 'queued'],
  )
  assert.ok(performance.now() - startedAt > 1_500, 'each request had its time')
  const [content] = await contentsOf(id)
  assert.ok(content && !('fault' in content))
  assert.equal(content.html, html)
  assert.match(content.text!, /\{\{ name \}\} ©/)
})

test('HTML that takes long to render waits no longer than for its layout, and the sender makes the text', async () => {
  // Subject, HTML and text together are more than is rendered where everybody waits.
  const own = { subject: 'x'.repeat(100), html: `<p>${'ab '.repeat(66_660)}</p>`, text: null }
  const email = { destination: 'ada@example.com', subject: own.subject, html: own.html, liquid: false }
  const checked = checkEmail(email, new Date())
  assert.ok('email' in checked)
  const compilation = await compiled.compile(ownSource({ ...own, isFinal: true }))
  const made = await finishContent(compiled, checked.email, performance.now() + 60_000)
  assert.ok('email' in made && made.email.text?.startsWith('ab ab'))
  // The time of its request is over: previews of others stood before it.
  const late = await finishContent({ compile: async () => compilation }, checked.email, performance.now() - 60_000)
  assert.deepEqual(late, { email: checked.email })
  const content = await contentOf(email)
  assert.equal(content.html, own.html)
  assert.match(content.text!, /^ab ab/)
})

test('a mail’s content is read in the transaction, and compiled after it', async () => {
  const never = { compile: () => new Promise<never>(() => undefined) }
  const { id } = await sendEmail({ ...deps, compiled: never }, caller, {
    ...{ destination: 'ada@example.com', subject: 'x', html: '<p>Hello</p>' },
  })
  const messages = await claimed([id])
  const slow = emailSource({ ...deps, compiled: never }, 'email')
  const prepared = await inTransaction(pool, workspaceId, (tx) => slow.prepare(tx, { workspaceId, messages, sender }))
  assert.ok(prepared.finish)
})

test('what cannot be taken without being compiled is refused in time, with nothing done', async () => {
  const busy = { ...deps, compiled: { compile: () => Promise.reject(new CompilerBusyError('busy')) } }
  const mjml = '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>'
  const count = async () =>
    (
      await queryInScope<{ n: number }>(pool, workspaceId, {
        text: 'select count(*)::int as n from messages',
        values: [],
      })
    )[0]!.n
  const before = await count()
  for (const compiled of [busy.compiled, { compile: () => new Promise<never>(() => undefined) }]) {
    const refused = sendEmail({ ...deps, compiled }, caller, { destination: 'a@b.example', subject: 'x', html: mjml })
    await assert.rejects(refused, { code: 'overloaded' })
  }
  assert.equal(await count(), before)
})

test('links and opens are tracked when that is asked for, and nothing else changes', async () => {
  const html = '<p>{{ name }} <a href="https://example.com/a">link</a></p>'
  const content = await contentOf({ subject: 'x', html, text: 'x', liquid: false, trackOpens: true, trackClicks: true })
  assert.match(content.html!, /^<p>\{\{ name \}\} <a href="https:\/\/mail\.example\/e\/c\/[\w-]+">link<\/a><\/p>/)
  assert.match(content.html!, /<img [^>]*src="https:\/\/mail\.example\/e\/o\/[\w-]+"/)
  assert.equal(content.text, 'x')
})

test('with variables Liquid is applied: those of the call before the fields of the contact', async () => {
  await createContact(deps, caller, { email: 'grace@example.com', firstName: 'Grace', customFields: { plan: 'gold' } })
  const body = {
    destination: 'grace@example.com',
    subject: 'Hello {{ first_name }}',
    html: '<p>{{ plan }} {{ order.id }} {{ email }}</p>',
    variables: { first_name: 'G.', order: { id: 12345678901234567890n.toString() } },
  }
  const content = await contentOf(body)
  assert.equal(content.subject, 'Hello G.')
  assert.equal(content.html, '<p>gold 12345678901234567890 grace@example.com</p>')
  assert.match(content.text!, /^gold 12345678901234567890 grace@example\.com/)
  const stranger = await contentOf({ ...body, destination: 'stranger@example.com', variables: {} })
  assert.deepEqual([stranger.subject, stranger.html], ['Hello', '<p>  stranger@example.com</p>'])
  const textOnly = await contentOf({ ...body, html: null, text: '{{ plan }}', variables: {} })
  assert.deepEqual([textOnly.html, textOnly.text], [null, 'gold'])
})

test('a template goes out as it was when the message was accepted, even when it is gone', async () => {
  const body =
    '<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>'
  const { id: templateId } = await createTemplate(deps, caller, {
    name: 'Welcome',
    subject: 'Hi {{ first_name }}',
    body,
  })
  const { id } = await sendEmail(deps, caller, {
    destination: 'ada@example.com',
    templateId,
    variables: { first_name: 'Ada' },
  })
  await deleteTemplate(deps, caller, { id: templateId })
  const [content] = await contentsOf(id)
  assert.ok(content && !('fault' in content))
  assert.equal(content.subject, 'Hi Ada')
  assert.match(content.html!, /<body[\s\S]*Hi Ada/)
  assert.equal(content.text, 'Hi Ada')
})

test('sender, names, copies, headers and attachments are those of the request; suppressed copies are left out', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into suppressions (workspace_id, destination, reason) values ($1, 'gone@example.com', 'bounce')`,
    values: [workspaceId],
  })
  await queryInScope(pool, workspaceId, {
    text: `insert into sending_domains (workspace_id, domain, next_check_at) values ($1, 'other.example', now())`,
    values: [workspaceId],
  })
  const content = await contentOf({
    subject: 'x',
    text: 'x',
    destinationName: 'Ada',
    fromEmail: 'me@other.example',
    cc: ['Bob <bob@example.com>', 'gone@example.com'],
    bcc: ['eve@example.com', 'gone@example.com'],
    replyTo: ['help@example.com'],
    headers: [{ name: 'X-Order', value: '4711' }],
    attachments: [{ fileName: 'a.txt', contentType: 'text/plain', content: 'aGVsbG8=', contentId: 'a' }],
  })
  assert.deepEqual(content.from, { address: 'me@other.example', name: null })
  assert.deepEqual(content.to, [{ address: 'ada@example.com', name: 'Ada' }])
  assert.deepEqual(content.cc, [{ address: 'bob@example.com', name: 'Bob' }])
  assert.deepEqual(content.bcc, ['eve@example.com'])
  assert.deepEqual(content.replyTo, [{ address: 'help@example.com', name: null }])
  assert.deepEqual(content.headers, [['X-Order', '4711']])
  assert.deepEqual(content.attachments, [
    { fileName: 'a.txt', contentType: 'text/plain', contentId: 'a', content: Buffer.from('hello') },
  ])
  assert.deepEqual((await contentOf({ subject: 'x', text: 'x' })).from, { address: sender.email, name: sender.name })
})

test('what cannot be rendered for a person fails alone', async () => {
  const email = { destination: 'ada@example.com', subject: 'x', html: '{{ n | url_decode }}' }
  const results = await sendEmailBatch(deps, caller, [
    { ...email, variables: { n: '5' } },
    { ...email, variables: { n: '%' } },
  ])
  const contents = await contentsOf(...results.map((result) => (result as { id: string }).id))
  assert.equal((contents[0] as { html: string }).html, '5')
  assert.equal((contents[1] as { fault: string }).fault, 'render_failed')
})
