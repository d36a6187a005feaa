import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { composeMessage, type Draft, DraftError } from './compose-message.ts'

const DRAFT: Draft = {
  messageId: '17.f3a9@news.example.com',
  date: new Date('2026-11-21T09:05:03.250Z'),
  from: { address: 'hello@news.example.com', name: 'Example News' },
  to: [{ address: 'ada@example.org', name: 'Ada Lovelace' }],
  subject: 'Hello Ada',
  html: '<p>Hello <b>Ada</b></p>\n',
  text: 'Hello Ada\n',
}

function wire(draft: Partial<Draft>): string {
  const { head, body } = composeMessage({ ...DRAFT, ...draft })
  return `${head}\r\n${body.join('')}`
}

/** As a foreign parser reads it, once the form itself has been looked at. */
async function parsed(draft: Partial<Draft>): Promise<Email> {
  const message = wire(draft)
  assert.ok(!/\r(?!\n)|(?<!\r)\n/.test(message), 'every line ends in CRLF')
  for (const line of message.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998, `a line of ${line.length}`)
  return PostalMime.parse(message)
}

const trimmed = (text: string | undefined) => text?.replaceAll('\r\n', '\n').replace(/\n+$/, '')

function refusedField(draft: Partial<Draft>): string {
  try {
    composeMessage({ ...DRAFT, ...draft })
  } catch (error) {
    if (error instanceof DraftError) return error.field
    throw error
  }
  return 'none'
}

test('a message has its fields in order and its two parts', () => {
  assert.equal(
    wire({}),
    [
      'Date: Sat, 21 Nov 2026 09:05:03 +0000',
      'From: Example News <hello@news.example.com>',
      'To: Ada Lovelace <ada@example.org>',
      'Subject: Hello Ada',
      'Message-ID: <17.f3a9@news.example.com>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative;',
      ' boundary="=_alternative__6-niGm-qZqf4rU6"',
      '',
      '--=_alternative__6-niGm-qZqf4rU6',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hello Ada',
      '',
      '--=_alternative__6-niGm-qZqf4rU6',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      '<p>Hello <b>Ada</b></p>',
      '',
      '--=_alternative__6-niGm-qZqf4rU6--',
      '',
    ].join('\r\n'),
  )
})

test('names and subjects come back as they were written, in any script', async () => {
  const texts = [
    'Ada, Countess of Lovelace',
    'O\'Brien "The Mailman" \\ Sons (Ltd.)',
    'Zoë Müller-Lüdenscheidt',
    'Владимир Кузнецов',
    '山田太郎 ＆ 株式会社',
    '👩‍👩‍👧‍👦 family of '.repeat(20).trim(),
    'محمد بن سلمان',
    '=?UTF-8?Q?not_an_encoded_word?=',
    'a@b.example, c@d.example',
    'two  spaces',
    'x'.repeat(3_000),
    'word '.repeat(600).trim(),
    'é'.repeat(2_000),
    ';:<>[]@.,',
  ]
  for (const text of texts) {
    const mail = await parsed({ subject: text, from: { address: 'a@example.com', name: text } })
    assert.equal(mail.subject, text)
    assert.deepEqual(mail.from, { name: text, address: 'a@example.com' })
  }
})

test('what could end a line in a subject or a name becomes a space', async () => {
  const evil = 'Hello\r\nBcc: victim@example.com\r\n\r\n<script>\0\u0085'
  const mail = await parsed({
    subject: evil,
    to: [{ address: 'ada@example.org', name: evil }],
    attachments: [{ fileName: evil, contentType: 'text/plain', content: Buffer.from('x') }],
  })
  assert.equal(mail.subject, 'Hello Bcc: victim@example.com <script>')
  assert.deepEqual(mail.to, [{ name: mail.subject, address: 'ada@example.org' }])
  assert.equal(mail.attachments[0]!.filename, mail.subject)
  assert.equal(mail.bcc, undefined)
})

test('every address is one address, with its domain in ASCII', async () => {
  const mail = await parsed({
    to: [
      { address: 'jörg@müller.example', name: null },
      { address: "o'brien+list@sub.Example.com", name: '' },
    ],
    cc: [{ address: 'c@example.com', name: 'C.' }],
    replyTo: [{ address: 'r@example.com', name: null }],
  })
  assert.deepEqual(
    mail.to?.map(({ address }) => address),
    ['jörg@xn--mller-kva.example', "o'brien+list@sub.Example.com"],
  )
  assert.deepEqual(mail.cc, [{ name: 'C.', address: 'c@example.com' }])
  assert.deepEqual(mail.replyTo, [{ name: '', address: 'r@example.com' }])
  const none = [
    '',
    'a',
    '@b.example',
    'a@',
    'a b@c.example',
    'a@b@c.example',
    'a@b.example,c@d.example',
    '<a@b.example>',
  ]
  none.push('a@b.example\r\nBcc: c@d.example', 'a@b.example ', '"a b"@c.example', 'a..b@c.example', '.a@c.example')
  none.push(
    'a@[127.0.0.1]',
    'a(b)@c.example',
    'a@b/c.example',
    `${'a'.repeat(65)}@c.example`,
    'a@b..example',
    'a\0@b.example',
  )
  none.push('a@b%2ecom', 'a@müller.example:25', 'a@müller/x.example', '\ud800@b.example')
  for (const address of none) {
    assert.equal(refusedField({ from: { address, name: null } }), 'from', JSON.stringify(address))
    assert.equal(refusedField({ to: [{ address, name: null }] }), 'to', JSON.stringify(address))
  }
  assert.equal(refusedField({ to: [] }), 'to')
})

test('further headers keep their order and value, and a URL in one is never broken', async () => {
  const url = `https://track.example.com/e/u/${'t'.repeat(300)}`
  const headers: [string, string][] = [
    ['List-Unsubscribe', `<${url}>`],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['X-Campaign', 'spring  2026'],
    ['X-Campaign', 'second'],
    ['X-Data', `{"a": "${'b'.repeat(200)}", "c": 1}`],
    ['References', Array.from({ length: 30 }, (_, n) => `<${n}.abcdef@mail.example.com>`).join(' ')],
  ]
  const mail = await parsed({ headers })
  assert.deepEqual(
    mail.headers.slice(5, -2).map(({ originalKey, value }) => [originalKey, value]),
    headers,
  )
  assert.ok(wire({ headers }).includes(`\r\nList-Unsubscribe: <${url}>\r\n`))
  assert.ok(
    wire({ headers: [['X-Campaign', 'Frühling in Wien']] }).includes(
      '\r\nX-Campaign: =?UTF-8?Q?Fr=C3=BChling_in_Wien?=\r\n',
    ),
  )
})

test("headers that are not the caller's to give, or could become others, are refused by their place", () => {
  const ok = ['X-A', 'b'] as const
  const refused: [string, string][] = [
    ['From', 'a@b.example'],
    ['bcc', 'a@b.example'],
    ['Content-Type', 'text/html'],
    ['DKIM-Signature', 'v=1'],
    ['Resent-To', 'a@b.example'],
    ['X A', 'b'],
    ['X-A:', 'b'],
    ['', 'b'],
    ['X-A', 'b\r\nBcc: c@d.example'],
    ['X-A', 'b\n c'],
    ['X-A', 'b\0'],
    ['X-A', 'b\u0085'],
    ['List-Id', 'Größe'],
    ['List-Help', `<https://example.com/${'h'.repeat(1_000)}>`],
  ]
  for (const header of refused) assert.equal(refusedField({ headers: [ok, header] }), 'headers/1', header.join(': '))
  assert.equal(
    refusedField({
      headers: [
        ['List-Id', 'a'],
        ['list-id', 'b'],
      ],
    }),
    'headers/1',
  )
  assert.equal(refusedField({ headers: [ok, ok] }), 'none')
})

test('text comes back as it was, whatever its length, script and line breaks', async () => {
  const texts = [
    'plain ASCII\nin lines\n',
    'lone \r and pairs \r\n and \n\n\n',
    'trailing spaces   \n\tand tabs\t\n.\n..\nFrom the start\nFrom again',
    `a line of ${'1,000 '.repeat(400)}`,
    'x'.repeat(5_000),
    'naïve café — “quotes” …\n'.repeat(500),
    '日本語のテキスト\n'.repeat(500),
    '👍🏽'.repeat(700),
    'equals = signs == and =3D and =\n=\n',
    '--=_alternative__6-niGm-qZqf4rU6--\nnot the end',
    'control \u0001 \u007f characters',
    '',
    'half a pair \ud83d!',
  ]
  for (const text of texts) {
    // A message ends with a line break, and the parser ends each part with one; how many end the text is not told apart.
    const lines = trimmed(text.toWellFormed().replace(/\r\n?/g, '\n'))
    const both = await parsed({ text, html: text })
    assert.equal(trimmed(both.text), lines)
    assert.equal(trimmed(both.html), lines)
    const single = await parsed({ text, html: null })
    assert.equal(trimmed(single.text), lines)
    assert.equal(single.html, undefined)
  }
})

test('text that is mostly ASCII stays readable in the source, other scripts go in base64', () => {
  const encodings = (text: string) => /Content-Transfer-Encoding: (\S+)/.exec(wire({ text, html: null }))?.[1]
  assert.equal(encodings('Hello'), '7bit')
  assert.equal(encodings('Schöne Grüße aus Köln, und sonst lauter ASCII'), 'quoted-printable')
  assert.equal(encodings('Привет из Кёльна'), 'base64')
  assert.equal(encodings(`${'x'.repeat(999)}\n`), 'quoted-printable')
  assert.equal(encodings('a\nFrom b'), 'quoted-printable')
  for (const line of wire({ text: 'Grüße, '.repeat(2_000), html: null }).split('\r\n')) assert.ok(line.length <= 78)
})

test('attachments and pictures in the HTML come back with their names and bytes', async () => {
  const pdf = Buffer.from(Array.from({ length: 100_003 }, (_, n) => (n * 7) % 256))
  const names = [
    'invoice.pdf',
    'Rechnung für Müller.pdf',
    '請求書.pdf',
    'a "quoted" \\ name; x=1.pdf',
    `${'long-'.repeat(60)}.pdf`,
    `${'請求書 für '.repeat(20)}😀.pdf`,
    '=?x?=',
    '100%.pdf',
    "it's.pdf",
  ]
  const mail = await parsed({
    attachments: [
      { fileName: 'logo.png', contentType: 'image/png', content: Buffer.from([1, 2, 3]), contentId: 'logo@x' },
      ...names.map((fileName) => ({ fileName, contentType: 'application/pdf', content: pdf })),
      { fileName: 'empty', contentType: 'text/calendar; method=REQUEST; charset="utf-8"', content: Buffer.alloc(0) },
    ],
  })
  const [logo, ...files] = mail.attachments
  assert.deepEqual([logo!.filename, logo!.related, logo!.contentId], ['logo.png', true, '<logo@x>'])
  assert.deepEqual(
    files.map(({ filename }) => filename),
    [...names, 'empty'],
  )
  for (const file of files.slice(0, -1)) assert.ok(pdf.equals(Buffer.from(file.content as ArrayBuffer)))
  assert.equal(files.at(-1)!.method, 'REQUEST')
  assert.equal(trimmed(mail.html), '<p>Hello <b>Ada</b></p>')
  const onlyFile = await parsed({
    html: null,
    text: null,
    attachments: [{ fileName: 'a', contentType: 'a/b', content: pdf }],
  })
  assert.equal(onlyFile.attachments.length, 1)
})

test('a draft that no message can be made of is refused by its field', () => {
  const content = Buffer.alloc(0)
  assert.equal(refusedField({}), 'none')
  assert.equal(refusedField({ messageId: 'a b@c' }), 'messageId')
  assert.equal(refusedField({ messageId: 'a@b>\r\nBcc: c@d' }), 'messageId')
  assert.equal(refusedField({ date: new Date(Number.NaN) }), 'date')
  assert.equal(refusedField({ html: null, text: null }), 'text')
  for (const contentType of ['', 'pdf', 'multipart/mixed', 'message/rfc822', 'a/b\r\nX: y', 'a/b; c="\r\n"', 'a/b c']) {
    assert.equal(refusedField({ attachments: [{ fileName: 'f', contentType, content }] }), 'attachments/0', contentType)
  }
  const contentId = 'x>\r\ny'
  assert.equal(
    refusedField({ attachments: [{ fileName: 'f', contentType: 'a/b', content, contentId }] }),
    'attachments/0',
  )
})
