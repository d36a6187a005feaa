import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startDnsAuthority } from '../../../test/support/dns-authority.ts'
import { handTimers } from '../../../test/support/hand-timers.ts'
import { createTxtResolver } from './txt-lookup.ts'

const authority = await startDnsAuthority()
after(() => authority.close())
const resolveTxt = createTxtResolver({ servers: [authority.server] })
const lookup = (name: string, withinMs = 60_000) => resolveTxt(performance.now() + withinMs)(name)

test('each record comes with its strings joined', async () => {
  authority.set('split.example', { txt: [['v=DKIM1; p=', 'abc', 'def'], 'other'] })
  assert.deepEqual(await lookup('split.example'), { outcome: 'found', records: ['v=DKIM1; p=abcdef', 'other'] })
})

test('an alias is followed, whether the server follows it or not', async () => {
  authority.set('target.example', { txt: ['here'] })
  authority.set('alias.example', { cname: 'target.example' })
  authority.set('unfollowed.example', { cname: 'alias.example', aliasOnly: true })
  authority.set('loop.example', { cname: 'loop.example', aliasOnly: true })
  for (const name of ['alias.example', 'unfollowed.example']) {
    assert.deepEqual(await lookup(name), { outcome: 'found', records: ['here'] }, name)
  }
  const loop = await lookup('loop.example')
  assert.equal(loop.outcome, 'failed')
  authority.set('dangling.example', { cname: 'nowhere.example' })
  assert.deepEqual(await lookup('dangling.example'), { outcome: 'none' })
})

test('a name that does not exist and one without such records are definite answers', async () => {
  authority.set('address.example', { a: ['192.0.2.1'] })
  assert.deepEqual(await lookup('missing.example'), { outcome: 'none' })
  assert.deepEqual(await lookup('address.example'), { outcome: 'none' })
})

test('a server that fails, refuses or keeps silent gives no answer, and says so', async () => {
  authority.set('servfail.example', { failure: 'SERVFAIL' })
  authority.set('refused.example', { failure: 'REFUSED' })
  authority.set('silent.example', { silent: true })
  const details = await Promise.all(
    ['servfail.example', 'refused.example', 'silent.example'].map(async (name) => {
      const answer = await lookup(name, name === 'silent.example' ? 400 : 60_000)
      return answer.outcome === 'failed' ? answer.detail : answer.outcome
    }),
  )
  assert.match(details[0]!, /SERVFAIL/)
  assert.match(details[1]!, /REFUSED/)
  assert.match(details[2]!, /silent\.example did not answer in time/)
  const nobody = await createTxtResolver({ servers: ['127.0.0.1:1'] })(performance.now() + 2_000)('a.example')
  assert.equal(nobody.outcome, 'failed')
})

test('an answer too long for UDP is fetched over TCP', async () => {
  const record = 'x'.repeat(3_000)
  const strings = record.match(/.{1,255}/g) ?? []
  authority.set('long.example', { txt: [strings], truncated: true })
  assert.deepEqual(await lookup('long.example'), { outcome: 'found', records: [record] })
  assert.deepEqual(
    authority.queries.filter(({ name }) => name === 'long.example').map(({ transport }) => transport),
    ['udp', 'tcp'],
  )
})

test('look-ups end at the round’s deadline, one that begins after it at once', async (t) => {
  authority.set('late.example', { silent: true })
  authority.set('unasked.example', { silent: true })
  const time = handTimers(t)
  const round = resolveTxt(performance.now() + 200)
  const late = round('late.example')
  time.advance(199)
  assert.equal(await Promise.race([late, setImmediate('not yet')]), 'not yet')
  time.advance(1)
  assert.equal((await late).outcome, 'failed')
  assert.equal((await round('unasked.example')).outcome, 'failed')
  time.release()
  // Questions asked before this one have arrived once this one is answered.
  await resolveTxt(performance.now() + 60_000)('nowhere.example')
  assert.equal(authority.countOf('unasked.example'), 0)
})
