import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { makeLogin, passwordHash } from '../../server/modules/mailbox/mailbox-login.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, send } from '../support/http-client.ts'
import { cookieOf, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

const instance = await startTestedInstance({ MAILBOX_ADDR: '127.0.0.1:0' })
after(() => instance.close())
const site = siteCaller(instance)
const owner = { cookie: cookieOf(await site.logIn(instance.email, instance.password)) }

/** A browser that shows a page of the instance. */
function browse(path: string, cookie?: string): Promise<Answer> {
  return send('GET', instance.baseUrl + path, cookie === undefined ? {} : { headers: { cookie } })
}

/** A browser that sends the form of a page. */
function submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  return send('POST', instance.baseUrl + path, {
    headers: { origin: instance.baseUrl, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })
}

/** Hands a mail in as a program of the workspace would, under a login that the integration does not know. */
async function handIn(mail: object, workspaceId = '1') {
  const [mailbox] = await instance.sql<{ host: string; port: number }>('select host, port from mailboxes limit 1')
  const { username, password } = makeLogin(workspaceId)
  await instance.sql('update mailboxes set password_hash = $2 where workspace_id = $1', [
    workspaceId,
    passwordHash(password),
  ])
  const client = createTransport({
    ...mailbox!,
    secure: false,
    ignoreTLS: true,
    auth: { user: username, pass: password },
  })
  await client.sendMail({ from: 'Shop <shop@example.com>', to: 'ada@example.com', ...mail })
  client.close()
  const [row] = await instance.sql<{ id: string }>('select max(id) as id from caught_mails')
  return row!.id
}

test('whoever is not logged in is led to the login, and from there to what they asked for', async () => {
  const away = await browse('/app/mailbox/default')
  assert.equal(away.status, 303)
  assert.equal(away.headers.location, '/app/login?next=%2Fapp%2Fmailbox%2Fdefault')
  const form = await browse(String(away.headers.location))
  assert.equal(form.status, 200)
  assert.match(form.text, /name="next" value="\/app\/mailbox\/default"/)
  const wrong = await submit('/app/login', { email: instance.email, password: 'not it', next: '/app/mailbox/default' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /role="alert">The email or the password is wrong/)
  const right = await submit('/app/login', {
    email: instance.email,
    password: instance.password,
    next: '/app/mailbox/default',
  })
  assert.deepEqual([right.status, right.headers.location], [303, '/app/mailbox/default'])
  const list = await browse('/app/mailbox/default', cookieOf(right))
  assert.equal(list.status, 200)
  assert.match(list.text, /No mail yet/)
  const out = await submit('/app/logout', {}, { cookie: cookieOf(right) })
  assert.equal(out.headers.location, '/app/login')
  assert.equal((await browse('/app/mailbox/default', cookieOf(right))).status, 303)
})

test('a login leads nowhere but to pages of this instance', async () => {
  for (const next of ['https://evil.example/', '//evil.example', '/app//../../x\\', 'javascript:alert(1)', '/site/x']) {
    const page = await browse(`/app/login?next=${encodeURIComponent(next)}`)
    assert.match(page.text, /name="next" value="\/app"/, next)
  }
})

test('another site can neither log somebody in nor empty the mailbox', async () => {
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const fields = { email: instance.email, password: instance.password, next: '' }
  assert.equal((await submit('/app/login', fields, elsewhere)).status, 403)
  assert.equal((await submit('/app/mailbox/default/clear', {}, { ...elsewhere, ...owner })).status, 403)
  assert.equal((await submit('/app/logout', {}, { ...elsewhere, ...owner })).status, 403)
})

test('a mail that is sent arrives signed, under a key that is said not to be published, and is counted', async () => {
  const json = { destination: 'first@example.com', subject: 'Hello there', html: '<p>It works.</p>', text: 'It works.' }
  const sent = await send('POST', `${instance.baseUrl}/api/emails`, { token: instance.token, json })
  assert.equal(sent.status, 202)
  const arrived = () => instance.sql<{ id: string }>(`select id from caught_mails where subject = 'Hello there'`)
  await eventually('the mail', async () => (await arrived()).length === 1)
  const [mail] = await arrived()
  const page = await browse(`/app/mailbox/default/${mail!.id}`, owner.cookie)
  assert.match(
    page.text,
    /<span class="good">pass<\/span> by <code>postroom\._domainkey\.postroom\.localhost<\/code>, <span class="warn">its key is not published/,
  )
  assert.match(page.text, /first@example\.com/)
  const accepted = /^email_send_outcomes_total\{provider="smtp",status="accepted".*\} 1$/m
  await eventually('the outcome to be counted', async () => accepted.test(await instance.metrics()))
})

test('a mail is shown with its parts, and what is in it stays in its frame', async () => {
  const id = await handIn({
    subject: '<b>Sale</b> & "more"',
    html: '<html><head></head><body><script>alert(1)</script><img src="cid:logo@x"><a href="https://example.com">go</a></body></html>',
    text: 'plain <i>words</i>',
    attachments: [
      { filename: 'logo.png', content: Buffer.from('PNG'), cid: 'logo@x', contentType: 'image/png' },
      { filename: 'Rechnung für "Ada".html', content: '<script>alert(2)</script>' },
    ],
    headers: {
      'List-Unsubscribe': '<https://links.example/e/u/token>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
  const path = `/app/mailbox/default/${id}`
  const page = await browse(path, owner.cookie)
  assert.equal(page.status, 200)
  assert.match(page.text, /<h1>&lt;b&gt;Sale&lt;\/b&gt; &amp; &quot;more&quot;<\/h1>/)
  assert.match(page.text, /<span class="bad">not signed<\/span>/)
  assert.match(
    page.text,
    new RegExp(`<iframe src="${path}/html" title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox">`),
  )
  assert.match(page.text, /action="https:\/\/links\.example\/e\/u\/token" target="_blank"/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  // The one that writes times as the reader's clock has them.
  assert.match(policy, /; script-src 'sha256-[^' ]+';/)
  assert.match(policy, /form-action 'self' https:\/\/links\.example/)

  const frame = await browse(`${path}/html`, owner.cookie)
  const framePolicy = String(frame.headers['content-security-policy'])
  assert.match(framePolicy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/)
  assert.doesNotMatch(framePolicy, /script-src|allow-scripts|allow-same-origin/)
  assert.match(frame.text, /<head><base target="_blank">/)
  assert.match(frame.text, /src="data:image\/png;base64,UE5H"/)

  const text = await browse(`${path}?view=text`, owner.cookie)
  assert.match(text.text, /<pre>plain &lt;i&gt;words&lt;\/i&gt;/)
  assert.match((await browse(`${path}?view=headers`, owner.cookie)).text, /<th>List-Unsubscribe-Post<\/th>/)
  assert.match((await browse(`${path}?view=source`, owner.cookie)).text, /Content-Type: multipart\//)

  const file = await browse(`${path}/attachments/1`, owner.cookie)
  assert.equal(file.text, '<script>alert(2)</script>')
  assert.equal(file.headers['content-type'], 'application/octet-stream')
  assert.equal(file.headers['content-disposition'], `attachment; filename*=UTF-8''Rechnung%20f%C3%BCr%20%22Ada%22.html`)
  assert.equal((await browse(`${path}/attachments/2`, owner.cookie)).status, 404)
  const source = await browse(`${path}/message.eml`, owner.cookie)
  assert.match(source.text, /^From: Shop <shop@example.com>/m)
})

test('the list shows the newest first, finds by address and subject, and keeps itself up to date', async () => {
  const first = await handIn({ subject: 'The first of two', to: 'grace@example.com' })
  const second = await handIn({ subject: 'Another one', to: 'Hedy <hedy@example.com>' })
  const list = await browse('/app/mailbox/default', owner.cookie)
  assert.match(list.text, /http-equiv="refresh"/)
  assert.ok(list.text.indexOf(`/default/${second}"`) < list.text.indexOf(`/default/${first}"`))
  const found = await browse('/app/mailbox/default?search=HEDY%40', owner.cookie)
  assert.match(found.text, /Another one/)
  assert.doesNotMatch(found.text, /The first of two|http-equiv="refresh"/)
  const [{ total }] = (await instance.sql('select count(*)::int as total from caught_mails')) as [{ total: number }]
  assert.match(found.text, new RegExp(`<p role="status">Found 1 of ${total} messages\\.`))
  const none = await browse('/app/mailbox/default?search=nowhere', owner.cookie)
  assert.match(none.text, new RegExp(`Found 0 of ${total} messages\\.`))
  assert.doesNotMatch(list.text, /Found/)
  const older = await browse(`/app/mailbox/default?before=${second}`, owner.cookie)
  assert.match(older.text, /The first of two/)
  const shown = (text: string) => text.match(new RegExp(`default/${first}"( class="unread")?>[\\s\\S]*?from ([^<]+)<`))!
  assert.equal(shown(older.text)[1], ' class="unread"')
  assert.notEqual(shown(older.text)[2], '&lt;&gt;')
  await browse(`/app/mailbox/default/${first}`, owner.cookie)
  assert.equal(shown((await browse(`/app/mailbox/default?before=${second}`, owner.cookie)).text)[1], undefined)
  assert.doesNotMatch(older.text, /Another one/)
})

test('nobody reads the mail of a workspace that is not theirs, and a viewer empties nothing', async () => {
  const id = await handIn({ subject: 'Private' })
  const other = await instance.makeWorkspace('other')
  const stranger = await site.person('Stranger', 'owner', other)
  assert.equal((await browse(`/app/mailbox/default/${id}`, stranger.cookie)).status, 404)
  assert.equal((await browse(`/app/mailbox/default/${id}/html`, stranger.cookie)).status, 404)
  assert.equal((await browse(`/app/mailbox/other/${id}`, stranger.cookie)).status, 404)
  const viewer = await site.person('Viewer', 'viewer')
  assert.equal((await browse(`/app/mailbox/default/${id}`, viewer.cookie)).status, 200)
  assert.doesNotMatch((await browse('/app/mailbox/default', viewer.cookie)).text, /Empty the mailbox/)
  assert.equal((await browse('/app/mailbox/default/clear', viewer.cookie)).status, 403)
  assert.equal((await submit('/app/mailbox/default/clear', {}, viewer)).status, 403)
})

test('the mailbox asks before it is emptied, and the log says who did it', async () => {
  const id = await handIn({ subject: 'Soon gone' })
  const list = await browse('/app/mailbox/default', owner.cookie)
  assert.match(list.text, /<a class="button plain" href="\/app\/mailbox\/default\/clear">Empty the mailbox<\/a>/)
  assert.doesNotMatch(list.text, /action="\/app\/mailbox\/default\/clear"/)
  const question = await browse('/app/mailbox/default/clear', owner.cookie)
  assert.match(question.text, /\d+ messages by now/)
  assert.match(
    question.text,
    /<form method="post" action="\/app\/mailbox\/default\/clear"><button class="danger">Delete all mail/,
  )
  assert.equal((await browse(`/app/mailbox/default/${id}`, owner.cookie)).status, 200)
  const cleared = await submit('/app/mailbox/default/clear', {}, owner)
  assert.deepEqual([cleared.status, cleared.headers.location], [303, '/app/mailbox/default'])
  assert.match((await browse('/app/mailbox/default', owner.cookie)).text, /No mail yet/)
  const [entry] = await instance.sql(`select actor_kind as kind from audit_entries where action = 'mailbox.clear'`)
  assert.deepEqual(entry, { kind: 'user' })
  for (const part of ['', '/html', '/message.eml', '/attachments/0']) {
    for (const missing of [id, 'nothing', '-1', '9'.repeat(30)]) {
      const gone = await browse(`/app/mailbox/default/${missing}${part}`, owner.cookie)
      assert.equal(gone.status, 404, missing)
      assert.match(gone.text, /This message is not in the mailbox/)
      assert.match(gone.text, /<a class="button" href="\/app\/mailbox\/default">To the mailbox/)
    }
  }
  assert.equal((await browse(`/app/mailbox/default/${id}?view=inside-out`, owner.cookie)).status, 400)
  assert.equal((await browse('/app/mailbox/default/nothing')).status, 303)
})

test('a workspace that is made later has a mailbox at once', async () => {
  const made = await site.call('POST', '/site/workspaces', { ...owner, json: { slug: 'second', name: 'Second' } })
  assert.equal(made.status, 201)
  const { json } = await site.call('GET', '/site/workspaces/second/integrations', owner)
  assert.deepEqual(
    json.items.map(({ name, isDefault }: { name: string; isDefault: boolean }) => [name, isDefault]),
    [['Mailbox', true]],
  )
  assert.match((await browse('/app/mailbox/second', owner.cookie)).text, /No mail yet/)
})

test('an invitation and a forgotten password are dealt with on the pages that their mails link to', async () => {
  const invited = await site.call('POST', '/site/workspaces/default/invitations', {
    ...owner,
    json: { email: 'new@example.com', role: 'viewer' },
  })
  const link = new URL(invited.json.link)
  const opened = await browse(link.pathname)
  assert.equal(opened.status, 200)
  assert.match(String(opened.headers['content-security-policy']), /script-src 'sha256-/)
  const token = link.hash.slice(1)
  const offer = await submit(link.pathname, { token })
  assert.match(offer.text, /invites you<\/span>|invites you to <strong>Default<\/strong> as a viewer/)
  const short = await submit(link.pathname, { token, accept: 'yes', name: 'New', password: 'short' })
  assert.equal(short.status, 400)
  assert.match(short.text, /role="alert">The password must have 8 to 1024 characters/)
  const accepted = await submit(link.pathname, { token, accept: 'yes', name: '', password: 'long enough now' })
  assert.deepEqual([accepted.status, accepted.headers.location], [303, '/app'])
  const landed = await browse('/app', cookieOf(accepted))
  assert.equal(landed.headers.location, '/app/default')
  assert.equal((await submit(link.pathname, { token })).status, 404)

  const asked = await submit('/app/forgot-password', { email: 'new@example.com' })
  assert.equal(asked.status, 202)
  assert.equal((await submit('/app/reset-password', { token: 'A'.repeat(43) })).status, 404)
  assert.equal((await browse('/app/reset-password')).status, 200)
})

test('pages take forms and nothing else, and forms are taken by pages only', async () => {
  const json = await site.call('POST', '/app/login', { json: { email: 'a@b.example', password: 'x', next: '' } })
  assert.equal(json.status, 415)
  assert.match(String(json.headers['content-type']), /^text\/html/)
  assert.equal((await submit('/site/auth/login', { email: 'a@b.example', password: 'x' })).status, 415)
  const unknown = await submit('/app/login', { email: 'a@b.example', password: 'x', next: '', more: 'y' })
  assert.equal(unknown.status, 400)
})

test('a workspace without a name is asked for one where its first mail is looked for, until it has one', async () => {
  const question = /What is the name of your company or newsletter\?/
  const asked = async (cookie: string) => question.test((await browse('/app/mailbox/default', cookie)).text)
  const viewer = await site.person('Reader', 'viewer')
  assert.deepEqual([await asked(owner.cookie), await asked(viewer.cookie)], [true, false])
  const name = (given: string, who = owner) => submit('/app/mailbox/default/name', { name: given }, who)
  assert.equal((await name('Fern & Wood', viewer)).status, 403)
  assert.equal((await name('  ')).status, 400)
  const named = await name(' Fern & Wood ')
  assert.deepEqual([named.status, named.headers.location], [303, '/app/mailbox/default'])
  const { json } = await site.call('GET', '/site/workspaces/default', owner)
  assert.deepEqual([json.name, await asked(owner.cookie)], ['Fern & Wood', false])
})
