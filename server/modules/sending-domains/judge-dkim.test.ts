import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { makeDkimKey } from './dkim-key.ts'
import { judgeDkim } from './judge-dkim.ts'

const { publicKey: key } = await makeDkimKey()
const { publicKey: other } = await makeDkimKey()
const right = `v=DKIM1; k=rsa; p=${key}`
const judge = (...records: string[]) => judgeDkim(records, key)

test('the key counts, not how the record is spaced, ordered or completed', () => {
  const spaced = key.replaceAll(/(.{50})/g, '$1 \t')
  for (const record of [
    right,
    `v=DKIM1;k=rsa;p=${key};`,
    ` v = DKIM1 ; p = ${spaced} ; k = rsa `,
    `k=rsa; p=${key}`,
    `p=${key.replace(/=+$/, '')}`,
    `v=DKIM1; h=sha1:sha256; s=email; n=our key; x=unknown; p=${key}`,
    `v=DKIM1; s=*; t=s; p=${key}`,
  ]) {
    assert.equal(judge(record).state, 'ok', record.slice(0, 40))
  }
})

test('a test flag is told', () => {
  const { state, detail } = judge(`v=DKIM1; t=y:s; p=${key}`)
  assert.equal(state, 'ok')
  assert.match(detail, /t=y/)
})

test('a definite wrong answer says what is wrong', () => {
  const wrong: [record: string, detail: RegExp][] = [
    [`v=DKIM1; k=rsa; p=${other}`, /another key/],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 200)}`, /cut off after 200/],
    ['v=DKIM1; k=rsa; p=', /revoked/],
    ['v=DKIM1; k=rsa', /p= is missing/],
    [`v=DKIM2; p=${key}`, /v=DKIM1/],
    [`p=${key}; v=DKIM1`, /begin with v=DKIM1/],
    [`v=DKIM1; k=ed25519; p=${key}`, /k=rsa/],
    [`v=DKIM1; h=sha1; p=${key}`, /h=/],
    [`v=DKIM1; s=tlsrpt; p=${key}`, /s=/],
    [`v=DKIM1; p=${key}; p=${key}`, /stands twice/],
    [`v=DKIM1; nonsense; p=${key}`, /nonsense/],
    [`v=DKIM1\\; k=rsa\\; p=${key}`, /backslashes/],
    [`"v=DKIM1; k=rsa; p=${key}"`, /quotes/],
    [`v=DKIM1; p=${key}!`, /not base64/],
  ]
  for (const [record, detail] of wrong) {
    const judgement = judge(record)
    assert.equal(judgement.state, 'wrong', record.slice(0, 60))
    assert.match(judgement.detail, detail)
    assert.deepEqual(judgement.found, [record])
  }
})

test('records that are no keys may stand beside it, a second key may not', () => {
  assert.equal(judge('site-verification=abc', right).state, 'ok')
  assert.deepEqual([judge().state, judge('site-verification=abc').state], ['missing', 'missing'])
  const two = judge(right, `v=DKIM1; p=${other}`)
  assert.equal(two.state, 'wrong')
  assert.match(two.detail, /several/)
})

test('whatever is published is judged without a throw', () => {
  for (const record of ['', ';;;', '=', 'p', '\u0000', 'v=DKIM1; p==', 'p=\ud800', `p=${'A'.repeat(60_000)}`]) {
    assert.notEqual(judge(record).state, 'ok')
  }
})

test('however a record is written, its key decides: the right one in any form is found, one bit off never', () => {
  const seed = seedFrom('DKIM_SEED')
  console.log(`seed ${seed}`)
  const random = seededRandom(seed)
  const upTo = (most: number) => Math.floor(random() * most)
  const space = () => ' \t'.charAt(upTo(2)).repeat(upTo(3))
  const written = (publicKey: string) => {
    const pieces = Array.from(publicKey, (letter) => (random() < 0.05 ? letter + space() : letter)).join('')
    const chosen = [['h=sha256', 'h=sha1:sha256'], ['s=email', 's=*'], ['t=s'], ['n=note'], ['future=tag']]
      .filter(() => random() < 0.4)
      .map((forms) => forms[upTo(forms.length)]!)
    const tags = ['k=rsa', `p=${pieces}`, ...chosen].sort(() => random() - 0.5)
    if (random() < 0.8) tags.unshift('v=DKIM1')
    return (
      tags.map((tag) => space() + tag.replace('=', () => `${space()}=${space()}`) + space()).join(';') +
      (random() < 0.5 ? ';' : '')
    )
  }
  for (let round = 0; round < 500; round += 1) {
    const right = written(key)
    assert.equal(judge(right).state, 'ok', right)
    const bytes = Buffer.from(key, 'base64')
    const at = upTo(bytes.length)
    bytes[at] = bytes[at]! ^ (1 << upTo(8))
    const wrong = written(bytes.toString('base64'))
    assert.equal(judge(wrong).state, 'wrong', wrong)
  }
})
