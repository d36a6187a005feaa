import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryReport } from '../../../test/support/delivery-reports.ts'
import { feedbackReport } from '../../../test/support/feedback-reports.ts'
import { feedbackWorld, type Sent } from '../../../test/support/feedback-world.ts'
import { readAll, startAtEnd, watched } from '../../../test/support/outbox-rows.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../platform/outbox/consumer.ts'
import { updateSuppression } from '../suppression/update-suppression.ts'
import { insertReports } from './queries.ts'
import { takeInMail } from './take-in-mail.ts'

const { pool, workspaceId } = await testWorkspace()
await startAtEnd(pool, updateSuppression)
const world = feedbackWorld(pool)
const { deps, sent, marks, scoped } = world

let n = 0
const address = () => `person-${++n}@example.com`
const header = ({ messageIdHeader }: Sent, more = '') =>
  `${more}Message-ID: ${messageIdHeader}\nFrom: news@shop.example\nSubject: Spring\n\nHello\n`
const parts = (message: Sent) => ({ to: message.returnPath, original: header(message) })
const take = (bytes: Buffer, recipients: readonly string[] = []) => takeInMail(deps, { bytes, recipients })
/** By the hook of the workspace. */
const brought = (bytes: Buffer) => takeInMail(deps, { bytes, recipients: [], workspaceId })
const status = (code: string, diagnostic: string, action = 'failed') =>
  `Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ada@example.com\nAction: ${action}\nStatus: ${code}\nDiagnostic-Code: smtp; ${diagnostic}`

/** Gives a message a copy that went to somebody else. */
const copyTo = (message: Sent, copy: string) =>
  scoped(
    workspaceId,
    `insert into emails (workspace_id, message_id, created_at, cc)
     select $1, id, created_at, json_build_array(json_build_object('address', $3::text)) from messages
     where workspace_id = $1 and id = $2`,
    [message.messageId, copy],
  )

async function suppressed(id = workspaceId): Promise<Record<string, string>> {
  const consumer = watched(pool)
  await readAll(consumer, updateSuppression, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(consumer.parked, [])
  const rows = await scoped<{ destination: string; reason: string }>(
    id,
    'select destination, reason from suppressions where workspace_id = $1',
  )
  return Object.fromEntries(rows.map(({ destination, reason }) => [destination, reason]))
}
const eventsOf = async (to: string, id = workspaceId) => (await world.events(id)).filter(({ email }) => email === to)

test('a bounce to a message’s return path is noted once: report, mark, event, and then the suppression', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const bounce = deliveryReport(parts(message), { recipient: to })
  world.counted.length = 0
  assert.deepEqual(await take(bounce, [message.returnPath.toUpperCase()]), {
    outcome: 'feedback',
    ...{ recorded: 1, known: 0, unknown: 0 },
  })
  assert.deepEqual(await take(bounce, [message.returnPath]), { outcome: 'feedback', recorded: 0, known: 1, unknown: 0 })
  assert.deepEqual(await marks(message), ['bounced'])
  const [event, ...others] = await eventsOf(to)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [event?.type, event?.data],
    [
      'email.bounced',
      {
        ...{
          workspaceId: Number(workspaceId),
          email: to,
          messageId: Number(message.messageId),
          purpose: 'transactional',
          surface: 'transactional',
        },
        ...{ provider: 'smtp', sendingDomain: 'shop.example', bounceKind: 'permanent', reason: 'address_refused' },
        detail: `550 5.1.1 <${to}>: Recipient address rejected: User unknown in virtual mailbox table`,
      },
    ],
  )
  assert.deepEqual(world.counted, ['smtp bounce'])
  assert.equal((await suppressed())[to], 'bounce')
})

test('a hundred copies at once are one', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const bounce = deliveryReport(parts(message), { recipient: to })
  const told = await Promise.all(Array.from({ length: 100 }, () => take(bounce, [message.returnPath])))
  assert.equal(
    told.reduce((sum, { recorded }) => sum + recorded, 0),
    1,
  )
  assert.equal((await eventsOf(to)).length, 1)
})

test('a repeat is answered for with a commit that waits for the standby, as that of the first one did', async () => {
  const report = { key: 'repeated', source: 'mail', kind: 'bounce', cause: 'transient', destination: 'r@example.com' }
  const writes = () =>
    inTransaction(pool, workspaceId, async (tx) => {
      const stored = await insertReports(tx, workspaceId, [
        { ...report, cause: 'transient', messageId: null, detail: null, isUnread: false },
      ])
      const { rows } = await tx.query<{ xid: string | null }>('select pg_current_xact_id_if_assigned()::text as xid')
      return { stored: stored.length, writes: rows[0]!.xid !== null }
    })
  assert.deepEqual(await writes(), { stored: 1, writes: true })
  assert.deepEqual(await writes(), { stored: 0, writes: true })
})

test('only a permanent cause of the address suppresses it', async () => {
  const causes: [code: string, diagnostic: string, kind: string][] = [
    ['5.1.1', '550 5.1.1 User unknown', 'permanent'],
    ['5.1.2', '550 5.1.2 Host unknown', 'permanent'],
    ['5.2.2', '552 5.2.2 Mailbox full', 'transient'],
    ['5.7.1', '550 5.7.1 Blocked: user unknown to us, listed', 'transient'],
    ['5.7.26', '550 5.7.26 unauthenticated', 'transient'],
    ['5.3.4', '552 5.3.4 too big', 'transient'],
    ['4.4.7', '451 4.4.7 gave up', 'transient'],
    ['5.0.0', '554 something', 'transient'],
    ['5.2.1', '550 5.2.1 The account is disabled', 'transient'],
  ]
  for (const [code, diagnostic, kind] of causes) {
    const to = address()
    const message = await sent(workspaceId, to)
    world.counted.length = 0
    await take(deliveryReport(parts(message), { recipient: to, status: status(code, diagnostic) }), [
      message.returnPath,
    ])
    assert.deepEqual(world.counted, kind === 'permanent' ? ['smtp bounce'] : [], diagnostic)
    const [event] = await eventsOf(to)
    assert.equal(event?.data.bounceKind, kind, diagnostic)
    assert.equal((await suppressed())[to], kind === 'permanent' ? 'bounce' : undefined, diagnostic)
  }
})

test('what is late, delivered or relayed is no bounce', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  for (const action of ['delayed', 'delivered', 'relayed', 'expanded', 'unheard-of']) {
    const report = deliveryReport(parts(message), { recipient: to, status: status('4.2.2', '452 4.2.2 full', action) })
    assert.equal((await take(report, [message.returnPath])).outcome, 'not_a_bounce')
  }
  assert.deepEqual(await marks(message), [])
})

test('a mailbox that is closed counts for good once it says so again days later', async () => {
  const to = address()
  const closed = status('5.2.1', '550 5.2.1 The account is disabled')
  const bounce = async () => {
    const message = await sent(workspaceId, to)
    await take(deliveryReport(parts(message), { recipient: to, status: closed }), [message.returnPath])
  }
  await bounce()
  await bounce()
  assert.equal((await suppressed())[to], undefined, 'twice on one day is one occasion')
  await scoped(
    workspaceId,
    `update feedback_reports set received_at = received_at - interval '4 days' where workspace_id = $1 and destination = $2`,
    [to],
  )
  await bounce()
  assert.equal((await suppressed())[to], 'bounce')
})

test('a bounce of another address than the message’s, a copy or where it was forwarded to, suppresses neither', async () => {
  const to = address()
  const other = address()
  const message = await sent(workspaceId, to)
  await take(deliveryReport(parts(message), { recipient: other }), [message.returnPath])
  assert.equal((await eventsOf(to))[0]?.data.bounceKind, 'transient')
  const list = await suppressed()
  assert.deepEqual([list[to], list[other]], [undefined, undefined])
})

test('a complaint of another address is the person’s behind the message’s, unless a copy went to somebody else', async () => {
  const [to, copied] = [address(), address()]
  const [alone, withCopy] = [await sent(workspaceId, to), await sent(workspaceId, copied)]
  await copyTo(withCopy, 'boss@example.com')
  const report = 'Feedback-Type: abuse\nVersion: 1\nUser-Agent: X\nOriginal-Rcpt-To: <boss@example.com>'
  for (const message of [alone, withCopy])
    await brought(feedbackReport({ to: 'fbl@x', original: header(message) }, report))
  const list = await suppressed()
  assert.deepEqual([list[to], list[copied], list['boss@example.com']], ['complaint', undefined, undefined])
})

test('a report that only says so is nobody’s word, whatever it looks like', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const foreign = { ...message, messageIdHeader: '<1.2.abcdefghijklmnopqrst@shop.example>' }
  const bounce = deliveryReport({ to: 'news@shop.example', original: header(foreign) }, { recipient: to })
  const elsewhere = message.returnPath.replace('@bounces.example.com', '@bounces.example.net')
  const forged = message.returnPath.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  for (const recipient of ['news@shop.example', 'postmaster@bounces.example.com', elsewhere, forged]) {
    assert.deepEqual(await take(bounce, [recipient]), { outcome: 'unproven', recorded: 0, known: 0, unknown: 0 })
  }
  assert.deepEqual([await marks(message), await eventsOf(to)], [[], []])
})

test('without a return path the signed Message-ID in what came back names the message', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const bounce = deliveryReport({ to: 'news@shop.example', original: header(message) }, { recipient: to })
  assert.equal((await takeInMail(deps, { bytes: bounce, recipients: [], workspaceId })).recorded, 1)
  assert.deepEqual(await marks(message), ['bounced'])
  assert.equal((await suppressed())[to], 'bounce', 'who has the key of the hook is believed')
})

test('at the open listener a Message-ID alone suppresses nobody, and the real bounce still does', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const hearsay = deliveryReport({ to: 'postmaster@bounces.example.com', original: header(message) }, { recipient: to })
  assert.equal((await take(hearsay, ['postmaster@bounces.example.com'])).recorded, 1)
  assert.deepEqual([await marks(message), (await suppressed())[to]], [['bounced'], undefined])
  assert.equal((await eventsOf(to))[0]?.data.bounceKind, 'transient')
  await take(deliveryReport(parts(message), { recipient: to }), [message.returnPath])
  assert.equal((await suppressed())[to], 'bounce')
})

test('a bounce of a mail with copies suppresses nobody, whomever it names or hides', async () => {
  for (const named of ['itself', 'a copy', 'nobody']) {
    const to = address()
    const message = await sent(workspaceId, to)
    await copyTo(message, 'boss@example.com')
    const recipient = named === 'itself' ? to : 'boss@example.com'
    const report = deliveryReport(parts(message), { recipient })
    const bytes = named === 'nobody' ? Buffer.from(report.toString().replaceAll('boss@example.com', 'hidden')) : report
    await take(bytes, [message.returnPath])
    const list = await suppressed()
    assert.deepEqual([list[to], list['boss@example.com']], [undefined, undefined], named)
  }
})

test('a complaint that hides its address is nobody’s where a copy went to somebody else', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  await copyTo(message, 'boss@example.com')
  const report = (fields = '') =>
    feedbackReport(
      { to: 'fbl@x', original: header(message) },
      `Feedback-Type: abuse\nVersion: 1\nUser-Agent: X${fields}`,
    )
  await brought(report())
  assert.equal((await suppressed())[to], undefined)
  await brought(report(`\nOriginal-Rcpt-To: <${to}>`))
  assert.equal((await suppressed())[to], 'complaint')
})

test('a complaint finds its message by whatever of it the provider shows', async () => {
  const shown: ((message: Sent) => Buffer)[] = [
    (message) => feedbackReport({ to: 'fbl@bounces.example.com', original: header(message) }),
    (message) =>
      feedbackReport({ to: 'fbl@x', original: `Return-Path: <${message.returnPath}>\nMessage-ID: <lost@x>\n\nHi\n` }),
    (message) =>
      feedbackReport(
        { to: 'fbl@x', original: 'Subject: redacted\n\nHi\n' },
        `Feedback-Type: abuse\nVersion: 1\nUser-Agent: X\nOriginal-Mail-From: <${message.returnPath}>`,
      ),
  ]
  for (const report of shown) {
    const to = address()
    const message = await sent(workspaceId, to)
    assert.equal((await brought(report(message))).recorded, 1)
    assert.deepEqual(await marks(message), ['complained'])
    assert.deepEqual(
      (await eventsOf(to)).map(({ type }) => type),
      ['email.complained'],
    )
    assert.equal((await suppressed())[to], 'complaint')
  }
})

test('not-spam and reports of forgery are no complaints', async () => {
  for (const type of ['not-spam', 'auth-failure']) {
    const to = address()
    const message = await sent(workspaceId, to)
    const report = `Feedback-Type: ${type}\nVersion: 1\nUser-Agent: X`
    const told = await take(feedbackReport({ to: 'fbl@x', original: header(message) }, report))
    assert.deepEqual([told.outcome, await marks(message)], ['not_a_bounce', []])
  }
})

test('a message that is gone, and one whose person was erased, are told to nobody', async () => {
  const to = address()
  const gone = await sent(workspaceId, to)
  const erased = await sent(workspaceId, to)
  await scoped(workspaceId, 'delete from messages where workspace_id = $1 and id = $2', [gone.messageId])
  await scoped(workspaceId, `update messages set destination = '' where workspace_id = $1 and id = $2`, [
    erased.messageId,
  ])
  for (const message of [gone, erased]) {
    const told = await take(deliveryReport(parts(message), { recipient: to }), [message.returnPath])
    assert.deepEqual(told, { outcome: 'feedback', recorded: 0, known: 0, unknown: 1 })
  }
  assert.deepEqual(await eventsOf(to), [])
})

test('each workspace’s message is its own, and a hook takes only what is about its workspace', async () => {
  const theirs = await createWorkspace(pool)
  const to = address()
  const message = await sent(theirs, to)
  const bounce = deliveryReport(parts(message), { recipient: to })
  const foreign = await takeInMail(deps, { bytes: bounce, recipients: [message.returnPath], workspaceId })
  assert.equal(foreign.outcome, 'unproven')
  await take(bounce, [message.returnPath])
  assert.deepEqual([(await eventsOf(to)).length, (await eventsOf(to, theirs)).length], [0, 1])
  assert.equal((await suppressed())[to], undefined)
  assert.equal((await suppressed(theirs))[to], 'bounce')
})
