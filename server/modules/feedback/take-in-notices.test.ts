import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedbackWorld, type Sent } from '../../../test/support/feedback-world.ts'
import { NOTICE_KINDS } from '../../../test/support/notice-kinds.ts'
import { noticeOfKind } from '../../../test/support/notice-reports.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { takeInMail } from './take-in-mail.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)
const { deps, sent, marks, scoped } = world

const partsOf = ({ returnPath, messageIdHeader }: Sent) => ({
  to: returnPath,
  original: `Message-ID: ${messageIdHeader}\nSubject: Spring\n\nHello\n`,
})
const eventOf = async (to: string) => (await world.events(workspaceId)).filter(({ email }) => email === to)
const reportsOf = (to: string) =>
  scoped<{ cause: string; detail: string }>(
    workspaceId,
    'select cause, detail from feedback_reports where workspace_id = $1 and destination = $2 order by id',
    [to],
  )
const WORDS = 'Något gick fel med ditt brev.'
const unreadable = (from = 'MAILER-DAEMON@mx.example') => Buffer.from(`From: ${from}\nSubject: Fel\n\n${WORDS}\n`)

test('the notice of every kind of system, to a right return path, is a bounce for good of a person who is unknown', async () => {
  for (const [n, { name }] of NOTICE_KINDS.entries()) {
    const to = `unknown-${n}@notices.example`
    const message = await sent(workspaceId, to)
    const bytes = noticeOfKind(name, partsOf(message), to)
    const told = await takeInMail(deps, { bytes, recipients: [message.returnPath], sender: '' })
    assert.deepEqual([told.outcome, told.recorded], ['feedback', 1], name)
    assert.equal((await eventOf(to))[0]?.data.bounceKind, 'permanent', name)
  }
})

test('a notice proves nothing where it is not to a return path and shows no name of ours', async () => {
  for (const { name } of NOTICE_KINDS) {
    const bytes = noticeOfKind(name, { to: 'news@shop.example', original: 'Subject: x\n\nx\n' }, 'ada@example.com')
    const told = await takeInMail(deps, { bytes, recipients: ['news@shop.example'], sender: '' })
    assert.equal(told.outcome, 'unproven', name)
  }
})

test('a notice that nobody can read is an unsure bounce with its text, once, counted as such', async () => {
  const to = 'unread@notices.example'
  const message = await sent(workspaceId, to)
  world.mails.length = 0
  for (const recorded of [1, 0]) {
    const told = await takeInMail(deps, { bytes: unreadable(), recipients: [message.returnPath] })
    assert.deepEqual([told.outcome, told.recorded], ['unread', recorded])
  }
  assert.deepEqual(world.mails, ['unread', 'unread'])
  assert.deepEqual(await reportsOf(to), [{ cause: 'unsure', detail: WORDS }])
  assert.deepEqual(await marks(message), ['bounced'])
  const [event, ...others] = await eventOf(to)
  assert.deepEqual([event?.data.bounceKind, event?.data.detail, others], ['transient', WORDS, []])
})

test('by its null sender, which the envelope has, a mail of any name is a system’s', async () => {
  const message = await sent(workspaceId, 'null@notices.example')
  const bytes = unreadable('Kundtjänst <hej@relay.example>')
  const take = (sender: string) => takeInMail(deps, { bytes, recipients: [message.returnPath], sender })
  assert.equal((await take('hej@relay.example')).outcome, 'no_report')
  assert.equal((await take('')).outcome, 'unread')
})

test('words that nobody can read never confirm that an address is gone, however often they come', async () => {
  const to = 'again@notices.example'
  const closed =
    'From: MAILER-DAEMON@mx.example\nSubject: failure notice\n\n<again@notices.example>:\n550 5.2.1 disabled\n'
  for (const bytes of [unreadable(), unreadable(), Buffer.from(closed), unreadable()]) {
    const message = await sent(workspaceId, to)
    await takeInMail(deps, { bytes, recipients: [message.returnPath] })
    await scoped(
      workspaceId,
      `update feedback_reports set received_at = received_at - interval '4 days' where workspace_id = $1 and destination = $2`,
      [to],
    )
  }
  assert.deepEqual(
    (await eventOf(to)).map(({ data }) => data.bounceKind),
    ['transient', 'transient', 'transient', 'transient'],
  )
  const message = await sent(workspaceId, to)
  await takeInMail(deps, { bytes: Buffer.from(closed), recipients: [message.returnPath] })
  assert.equal((await eventOf(to)).at(-1)?.data.bounceKind, 'permanent')
})

test('what is unread and proven by nothing but a Message-ID is no report', async () => {
  const message = await sent(workspaceId, 'id@notices.example')
  const bytes = Buffer.from(
    `From: MAILER-DAEMON@mx.example\nSubject: Fel\n\n${WORDS}\n\n----- Original message -----\n${partsOf(message).original}`,
  )
  assert.equal((await takeInMail(deps, { bytes, recipients: ['news@shop.example'] })).outcome, 'no_report')
})
