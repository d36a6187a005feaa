import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAKE_WAITS_LONG } from '../../../test/support/long-waits.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { countAttempt, forgetAttempts } from './limit-attempts.ts'

const { pool } = await testWorkspace()
await pool.query(MAKE_WAITS_LONG)

test('attempts of one moment are all free, whichever of them is counted first', async () => {
  for (let n = 0; n < 100; n++) {
    const attempt = { what: 'code', account: `account-${n}`, ip: `192.0.2.${n}` } as const
    await Promise.all(Array.from({ length: 5 }, () => countAttempt(pool, attempt)))
    await assert.rejects(async () => {
      for (let more = 0; more < 3; more++) await countAttempt(pool, attempt)
    }, /wait|too many/i)
  }
})

const guess = (ip: string, account = 'owner@example.com') => countAttempt(pool, { what: 'login', account, ip })
async function guessUntilItWaits(ip: string, account?: string): Promise<number> {
  for (let guesses = 0; ; guesses++) {
    if (guesses > 300) return guesses
    const isJudged = await guess(ip, account).then(
      () => true,
      () => false,
    )
    if (!isJudged) return guesses
  }
}

test('a stranger who guesses at an account waits, and keeps its owner out of nothing', async () => {
  const guesses = await guessUntilItWaits('198.51.100.1')
  assert.ok(guesses >= 5 && guesses <= 6, `${guesses} were judged`)
  await guess('203.0.113.5')
})

test('who guesses from many networks makes the account wait, but not where it has been logged in to', async () => {
  const account = 'known@example.com'
  const home = { what: 'login', account, ip: '203.0.113.9' } as const
  await countAttempt(pool, home)
  await forgetAttempts(pool, home)
  const strangers = Array.from({ length: 60 }, (_, n) => `198.51.${100 + n}.1`)
  let judged = 0
  for (const ip of strangers) judged += await guessUntilItWaits(ip, account)
  assert.ok(judged >= 200 && judged <= 210, `${judged} were judged`)
  await assert.rejects(guess('192.0.2.250', account))
  await countAttempt(pool, home)
  await countAttempt(pool, { ...home, ip: '203.0.113.9' })
})

test('a network of IPv6 is one, whichever of its addresses guesses', async () => {
  let judged = 0
  for (let n = 1; n <= 20; n++) {
    judged += await guess(`2001:db8:7::${n}`, 'six@example.com').then(
      () => 1,
      () => 0,
    )
  }
  assert.ok(judged >= 5 && judged <= 6, `${judged} were judged`)
})
