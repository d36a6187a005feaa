import assert from 'node:assert/strict'
import test from 'node:test'
import { type ForeignBounce, foreignBounces } from '../../../test/support/foreign-bounces.ts'
import type { FeedbackItem } from './feedback-item.ts'
import { readReturnedMail } from './read-returned-mail.ts'

const RETURN_PATH = 'ours@bounces.example.com'
const MESSAGE = { workspaceId: '1', messageId: '7' }
const readers = {
  returnPaths: { read: (address: string) => (address === RETURN_PATH ? MESSAGE : null) },
  messageIds: { read: () => null },
}

/** Labels of the set by what they say: nobody is there, */
const HARD = new Set(['userunknown', 'hostunknown', 'hasmoved'])
/** no report at all, */
const NO_BOUNCE = new Set(['vacation', 'delivered'])
/** and what is said of the mail, its sender, its server, or a mailbox that is full: none of it is the person's fault. */
const INNOCENT = new Set([
  ...[
    'authfailure',
    'badreputation',
    'blocked',
    'contenterror',
    'exceedlimit',
    'mailboxfull',
    'mesgtoobig',
    'norelaying',
  ],
  ...['notcompliantrfc', 'policyviolation', 'rejected', 'requireptr', 'securityerror', 'spamdetected', 'speeding'],
  ...['systemfull', 'toomanyconn', 'virusdetected'],
])
/**
 * Mails whose words say that nobody is there: of a provider that says so of what it filters as well, which is known by its
 * host alone, and one whose two parts contradict each other.
 */
const SAYS_UNKNOWN = ['rfc3464-01', 'rhost-nttdocomo-02', 'rhost-nttdocomo-03']

const bounces = await foreignBounces()
const read = (bytes: Buffer) => readReturnedMail(readers, { bytes, recipients: [RETURN_PATH], sender: '' })
const all = ({ reasons }: ForeignBounce, kinds: ReadonlySet<string>) => reasons.every((reason) => kinds.has(reason))
const suppresses = (items: readonly FeedbackItem[]) =>
  items.some((item) => item.kind === 'bounce' && item.cause === 'permanent')

test('of 580 bounces and complaints of foreign systems at least 95 % are read, and none is dropped', (t) => {
  const told = bounces.filter((one) => !one.reasons.some((reason) => NO_BOUNCE.has(reason)))
  assert.equal(told.length, 580)
  const outcomes = told.map(({ name, bytes }) => ({ name, outcome: read(bytes).outcome }))
  const unread = outcomes.filter(({ outcome }) => outcome === 'unread' || outcome === 'no_report')
  t.diagnostic(`${told.length - unread.length} of ${told.length}; unread: ${unread.map(({ name }) => name).join(' ')}`)
  assert.ok(unread.length <= told.length * 0.05)
  // A person's program unsubscribes by mail, for which there are addresses of their own.
  const dropped = outcomes.filter(({ outcome }) => outcome === 'no_report' || outcome === 'unproven')
  assert.deepEqual(
    dropped.map(({ name }) => name),
    ['arf-26'],
  )
})

test('at least 90 % of those whose address is gone are found, at the first', (t) => {
  const gone = bounces.filter((one) => all(one, HARD))
  const found = gone.filter(({ bytes }) => suppresses(read(bytes).items))
  t.diagnostic(`${found.length} of ${gone.length}`)
  assert.ok(gone.length > 150 && found.length >= gone.length * 0.9)
  // A reply with sizes and dates in the paragraph behind it; notifications whose JSON a server broke within a string.
  const names = new Set(found.map(({ name }) => name))
  for (const name of ['lhost-verizon-02', 'lhost-amazonses-09', 'lhost-amazonses-10']) assert.ok(names.has(name), name)
})

test('nobody is suppressed for policy, spam, a size or a full mailbox, nor by an answer of a person', () => {
  const innocent = bounces.filter((one) => all(one, INNOCENT) || all(one, NO_BOUNCE))
  assert.ok(innocent.length > 230, `${innocent.length}`)
  const wrong = innocent.filter(({ bytes }) => suppresses(read(bytes).items)).map(({ name }) => name)
  assert.deepEqual(wrong.sort(), SAYS_UNKNOWN)
})
