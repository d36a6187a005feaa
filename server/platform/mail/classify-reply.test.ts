import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { classifyReply, REPLY_CLASSES, type ReplyClass, type SmtpReply } from './classify-reply.ts'

/** Of a processor, for all texts and phases. */
const JUDGED_MS_MAX = 250

type Labelled = { label: ReplyClass; line: string; reply: SmtpReply }

const LINE = /^(\w+) (\w+) (\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?= |$))? ?(.*)$/
const LABELLED: Labelled[] = readFileSync(
  new URL('../../../test/support/labelled-replies.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, label, phase, code, enhanced = null, text = ''] = LINE.exec(line) ?? assert.fail(line)
    const reply = { code: Number(code), enhanced, text, phase: phase as SmtpReply['phase'] }
    return { label: label as ReplyClass, line, reply }
  })

/** Classes that say something about the person written to. */
const OF_RECEIVER: ReadonlySet<ReplyClass> = new Set(['address', 'address_later', 'mailbox_full'])
const PHASES = ['greeting', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'content'] as const

test('each of more than 300 labelled replies is of its class', () => {
  assert.ok(LABELLED.length >= 300, `${LABELLED.length} replies`)
  const wrong = LABELLED.map(({ label, line, reply }) => [classifyReply(reply), label, line]).filter(
    ([is, label]) => is !== label,
  )
  assert.deepEqual(wrong, [])
  assert.deepEqual(new Set(LABELLED.map(({ label }) => label)), new Set(REPLY_CLASSES))
})

test('whatever a code and a text are, the first digit decides whether it is final', () => {
  const final: ReadonlySet<ReplyClass> = new Set([
    'address',
    'address_later',
    'mailbox_full',
    'content',
    'policy',
    'protocol',
    'host',
    'credentials',
  ])
  for (const { reply } of LABELLED) {
    for (const phase of PHASES) {
      const temporary = classifyReply({ ...reply, phase, code: 400 + (reply.code % 100) })
      assert.ok(!final.has(temporary), `${temporary}: 4xx ${JSON.stringify(reply)}`)
      const permanent = classifyReply({ ...reply, phase, code: 500 + (reply.code % 100) })
      assert.ok(final.has(permanent) || permanent === 'throttled', `${permanent}: 5xx ${JSON.stringify(reply)}`)
      assert.equal(classifyReply({ ...reply, phase, code: 250 }), 'accepted')
    }
  }
})

test('nothing that is said before the receiver was named, or of the sender, blames the receiver', () => {
  for (const { reply } of LABELLED) {
    for (const phase of ['greeting', 'ehlo', 'auth', 'mail'] as const) {
      assert.ok(!OF_RECEIVER.has(classifyReply({ ...reply, phase })), `${phase} ${JSON.stringify(reply)}`)
    }
  }
  const faults = LABELLED.filter(({ label }) => label === 'policy' || label === 'credentials')
  // Without its enhanced code a text alone may be all there is.
  for (const { reply, line } of faults.filter(({ reply: { text } }) => text !== '')) {
    assert.ok(!OF_RECEIVER.has(classifyReply({ ...reply, enhanced: null })), line)
  }
})

test('after a good login no refusal of a recipient or a message is about our credentials', () => {
  const words = LABELLED.filter(({ label, reply }) => label === 'credentials' && reply.phase !== 'auth')
  const causes = ['7.8', '7.9', '7.10', '7.11', '7.12', '7.13'].map((cause) => `5.${cause}`)
  const replies = [
    ...words.map(({ reply }) => reply),
    ...causes.flatMap((enhanced) =>
      [525, 530, 534, 535, 538, 550, 554].map((code) => ({ code, enhanced, text: '', phase: 'rcpt' as const })),
    ),
  ]
  for (const reply of replies) {
    const isDisabled = reply.code === 525 || reply.enhanced === '5.7.13'
    const toRecipient = classifyReply({ ...reply, phase: 'rcpt', isLoggedIn: true })
    assert.equal(toRecipient, isDisabled ? 'address_later' : 'policy', JSON.stringify(reply))
    for (const phase of ['data', 'content'] as const) {
      assert.notEqual(classifyReply({ ...reply, phase, isLoggedIn: true }), 'credentials', JSON.stringify(reply))
    }
    assert.equal(classifyReply({ ...reply, phase: 'mail', isLoggedIn: true }), 'credentials', JSON.stringify(reply))
  }
})

test('a text of any length and form is judged at once', async () => {
  const hostile = [
    'a'.repeat(100_000),
    '@'.repeat(500),
    'user '.repeat(100),
    '<'.repeat(500),
    'exceeded '.repeat(60),
    ' '.repeat(500),
  ]
  const judgeAll = () => {
    for (const text of hostile) for (const phase of PHASES) classifyReply({ code: 550, enhanced: null, text, phase })
  }
  const tookMs = await leastMs(JUDGED_MS_MAX, () => processorMs(judgeAll))
  assert.ok(tookMs <= JUDGED_MS_MAX, `${tookMs} ms`)
})
