import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { authenticate } from 'mailauth'
import PostalMime, { type Address, type Email } from 'postal-mime'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { composeMessage, type Draft, DraftError, type Mailbox } from './compose-message.ts'
import { signMessage } from './dkim-sign.ts'
import { FixedText, type MailText, textOfPiece, wholeText } from './mail-text.ts'

const COUNT = Number(process.env.COMPOSE_FUZZ_COUNT ?? 2_000)
const SEED = seedFrom('COMPOSE_FUZZ_SEED')
const random = seededRandom(SEED)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = { domain: 'news.example.com', selector: 'fuzz', privateKey }
const RECORD = `v=DKIM1; p=${createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')}`

const VICTIM = 'victim@evil.example'
/** Text that breaks composers: ends of lines and of fields, syntax of every layer, scripts, halves of characters. */
const PIECES = [
  ...['\r\n', '\n', '\r', '\0', '\t', '\u0085', '\u2028', '\x0b', '\x7f', '\x1b'],
  ...[
    `\r\nBcc: ${VICTIM}`,
    `\nTo: ${VICTIM}\n\nbody`,
    '\r\n\r\n<script>',
    '\r\n.\r\nMAIL FROM:<>\r\n',
    '\r\n ',
    ' \r\n\t',
  ],
  ...['"', '\\', '\\"', '<', '>', ',', ';', ':', '@', '(', ')', '[', ']', '%', "'", '`', '{{', '}}', '*', '_', '?'],
  ...[`<${VICTIM}>`, `, ${VICTIM}`, `" <${VICTIM}>, "`, `a@b.example`, 'group: a@b.example;'],
  ...[
    '=',
    '=?',
    '?=',
    '=?UTF-8?Q?=0D=0ABcc:_x?=',
    '=?UTF-8?B?DQo=?=',
    '=0D=0A',
    '=\r\n',
    "UTF-8''%0d%0a",
    '--=_',
    '--',
  ],
  ...[
    '.',
    '..',
    '\n.',
    '\nFrom ',
    'From ',
    ' ',
    '  ',
    'a ',
    'word ',
    'x'.repeat(80),
    'y'.repeat(1_200),
    'z z '.repeat(100),
  ],
  ...[
    'é',
    'ü',
    'ß',
    'Ж',
    'مرحبا',
    'שלום',
    '漢字',
    'ｱ',
    '👍🏽',
    '👩‍👩‍👧',
    '\u0301',
    '\u202e',
    '\u200b',
    '\ud800',
    '\udc00',
    '\u00a0',
  ],
]

const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const chance = (part: number) => random() < part
const text = (pieces: number) => Array.from({ length: Math.floor(random() * pieces) }, () => pick(PIECES)).join('')
/** As a whole, or in pieces of which some are fixed; of those some are in several messages. */
const html = (): MailText =>
  chance(0.5)
    ? text(60)
    : Array.from({ length: Math.floor(random() * 8) }, () => pick([text, fixed, () => pick(KNOWN)])(12))
const fixed = (pieces: number) => new FixedText(text(pieces))
const KNOWN = Array.from({ length: 20 }, () => new FixedText(text(40)))
const address = () =>
  chance(0.03)
    ? text(4)
    : `${pick(['ada', "o'b", 'a.b+c', 'jörg', '用户', 'x_y'])}${Math.floor(random() * 100)}@${pick(['example.org', 'müller.example', 'xn--mller-kva.example', 'a.b.c.example'])}`
const mailbox = (): Mailbox => ({ address: address(), name: chance(0.2) ? null : text(6) })
const mailboxes = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, mailbox)

function draft(n: number): Draft {
  return {
    messageId: chance(0.01) ? text(3) : `${n}.f3a9@news.example.com`,
    date: new Date(1_795_000_000_000 + n * 1_000),
    from: mailbox(),
    to: [mailbox(), ...mailboxes(3)],
    cc: chance(0.2) ? mailboxes(3) : [],
    replyTo: chance(0.2) ? mailboxes(2) : [],
    subject: text(12),
    html: chance(0.2) ? null : html(),
    text: chance(0.2) ? null : text(60),
    headers: [
      ['List-Unsubscribe', `<https://t.example.com/e/u/${'t'.repeat(random() * 400)}>`],
      ...(chance(0.3) ? [['X-Fuzz', text(3)] as const] : []),
      ...(chance(0.02) ? [[pick(['bcc', 'X-A\r\nBcc', 'X A', '', 'List-Unsubscribe', 'To ']), VICTIM] as const] : []),
    ],
    attachments: Array.from({ length: chance(0.2) ? 1 + random() * 3 : 0 }, () => ({
      fileName: text(8),
      content: Buffer.from(text(20)),
      // The parser takes text that is inline for a part of the message's text.
      ...(chance(0.3)
        ? { contentType: 'image/png', contentId: chance(0.1) ? text(3) : `c${n}@x` }
        : { contentType: chance(0.05) ? text(3) : pick(['application/pdf', 'text/plain; charset=utf-8']) }),
    })),
  }
}

const oneLine = (value: string) =>
  value
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
const lines = (value: MailText | undefined) =>
  (typeof value === 'string' ? [value] : value)
    ?.map((piece) => textOfPiece(piece).toWellFormed())
    .join('')
    .replace(/\r\n?/g, '\n')
    .replace(/\n+$/, '')

/** The form itself, before anybody reads it. */
function checkForm(message: string, given: Draft): void {
  assert.ok(!/\r(?!\n)|(?<!\r)\n/.test(message), 'only CRLF')
  for (const line of message.split('\r\n'))
    assert.ok(Buffer.byteLength(line, 'latin1') <= 998, 'a line that is too long')
  const head = message.slice(0, message.indexOf('\r\n\r\n') + 2)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
  assert.ok(!/[\0-\x09\x0b\x0c\x0e-\x1f\x7f]/.test(head.replaceAll('\r\n\t', '')), 'no control characters in the head')
  const names = head
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')
    .slice(0, -1)
    .map((field) => field.slice(0, field.indexOf(':')))
  const expected = ['DKIM-Signature', 'Date', 'From', 'To']
  if (given.cc?.length) expected.push('Cc')
  if (given.replyTo?.length) expected.push('Reply-To')
  expected.push('Subject', 'Message-ID', ...given.headers!.map(([name]) => name), 'MIME-Version', 'Content-Type')
  if (names.at(-1) === 'Content-Transfer-Encoding') expected.push('Content-Transfer-Encoding')
  if (names.includes('Content-Disposition')) {
    expected.splice(-1, 0, 'Content-Disposition', ...(names.includes('Content-ID') ? ['Content-ID'] : []))
  }
  assert.deepEqual(names, expected)
}

const plainAddress = (value: string) => {
  const at = value.lastIndexOf('@')
  return value.slice(0, at + 1) + domainToASCII(value.slice(at + 1))
}
const people = (of: readonly Mailbox[] | undefined) =>
  (of ?? []).map(({ address: at, name }) => ({ name: oneLine(name ?? ''), address: plainAddress(at) }))

const isHtmlInBase64 = (raw: string) =>
  /^Content-Type: text\/html[\s\S]*?^Content-Transfer-Encoding: (\S+)/m.exec(raw)?.[1] === 'base64'

/** Compares the mail as a foreign parser reads it with the draft. */
function checkContent(mail: Email, { raw, given }: { raw: string; given: Draft }): void {
  const read = (of: Address[] | undefined) =>
    (of ?? []).map(({ name, address: at }) => ({ name: name.trim(), address: at }))
  assert.deepEqual(read(mail.from ? [mail.from] : []), people([given.from]))
  assert.deepEqual(read(mail.to), people(given.to))
  assert.deepEqual(read(mail.cc), people(given.cc))
  assert.deepEqual(read(mail.replyTo), people(given.replyTo))
  assert.equal(mail.bcc, undefined)
  assert.equal(mail.subject ?? '', oneLine(given.subject))
  assert.equal(mail.messageId, `<${given.messageId}>`)
  // A part that is not there is made of the other one by the parser.
  if (given.text !== null) assert.equal(lines(mail.text ?? ''), lines(given.text))
  // Halves of a character in two pieces become one where the whole is encoded at once, in base64.
  const html = given.html !== null && isHtmlInBase64(raw) ? wholeText(given.html) : given.html
  if (html !== null) assert.equal(lines(mail.html ?? ''), lines(html))
  assert.equal(mail.attachments.length, given.attachments!.length)
  const names = new Set(mail.attachments.map(({ filename }) => filename ?? ''))
  for (const { fileName } of given.attachments!) {
    // The parser decodes encoded words where none may stand (RFC 2047 section 5).
    if (!fileName.includes('=?')) assert.ok(names.has(oneLine(fileName)), `a file named ${JSON.stringify(fileName)}`)
  }
}

test(`${COUNT} hostile messages are composed as they were meant or refused, and a foreign verifier passes each`, async () => {
  console.log(`COMPOSE_FUZZ_SEED=${SEED} COMPOSE_FUZZ_COUNT=${COUNT}`)
  let composed = 0
  for (let n = 0; n < COUNT; n++) {
    const given = draft(n)
    let message: Buffer
    try {
      message = await signMessage(composeMessage(given), KEY, given.date)
    } catch (error) {
      if (error instanceof DraftError) continue
      throw new Error(`draft ${n} of seed ${SEED}`, { cause: error })
    }
    composed += 1
    try {
      const raw = message.toString('latin1')
      checkForm(raw, given)
      checkContent(await PostalMime.parse(message), { raw, given })
      const { dkim } = await authenticate(message, {
        ...{ ip: '192.0.2.1', disableArc: true, disableDmarc: true, disableBimi: true },
        resolver: async () => [[RECORD]],
      })
      assert.deepEqual(
        dkim.results.map(({ status }) => status.result),
        ['pass'],
      )
    } catch (error) {
      throw new Error(`draft ${n} of seed ${SEED}: ${JSON.stringify(given).slice(0, 2_000)}`, { cause: error })
    }
  }
  console.log(`${composed} composed, ${COUNT - composed} refused`)
  assert.ok(composed > COUNT / 2)
})
