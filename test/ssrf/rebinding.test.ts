import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetworks } from '../../server/platform/net/address-guard.ts'
import { createGuardedClient } from '../../server/platform/net/guarded-client.ts'
import { createResolver } from '../../server/platform/net/resolver.ts'
import { type DnsRecords, startDnsAuthority } from '../support/dns-authority.ts'
import { startReceiver } from '../support/receiver.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { startCanaries, watchConnects } from './watch-connects.ts'

const NAMES = 16
const ROUNDS = Number(process.env.SSRF_REBINDING_ROUNDS ?? 60)
const DEADLINE_MS = 60_000

/** The one address exempted, where the receiver listens. */
const GOOD = '127.0.0.1'
const DENIED = {
  a: ['127.0.0.2', '0.0.0.0', '10.0.0.1', '169.254.169.254', '192.168.1.1', '100.100.100.200'],
  aaaa: ['::1', '::', '::ffff:127.0.0.2', 'fe80::1', 'fd00:ec2::254', '64:ff9b::7f00:2', '2002:7f00:2::1'],
}

test(`${NAMES * ROUNDS} attempts at names that flip at random reach vetted addresses only`, async (t) => {
  const seed = seedFrom('SSRF_SEED')
  t.diagnostic(`SSRF_SEED=${seed}`)
  const random = seededRandom(seed)
  const authority = await startDnsAuthority()
  const receiver = await startReceiver()
  const canaries = await startCanaries({ hosts: ['127.0.0.2', '::1'], ports: [receiver.port] })
  const resolve = createResolver({ servers: [authority.server] })
  const client = createGuardedClient({ allow: parseNetworks(`${GOOD}/32`), resolve })
  const watch = watchConnects()
  const counts = { answered: 0, refused: 0, failed: 0 }

  /** The answer to one query: nothing, good, denied, both in either order; at the name itself or behind an alias. */
  function answer(name: string, family: 'a' | 'aaaa'): { addresses: string[]; records: DnsRecords } {
    const addresses = family === 'a' && random() < 0.8 ? [GOOD] : []
    const denied = DENIED[family][Math.floor(random() * DENIED[family].length)] ?? ''
    if (random() < 0.2) addresses.splice(Math.floor(random() * (addresses.length + 1)), 0, denied)
    const records = { [family]: addresses, ttlSeconds: random() < 0.5 ? 0 : 300 }
    if (random() < 0.7) return { addresses, records }
    authority.set(`alias.${name}`, records)
    return { addresses, records: { cname: `alias.${name}` } }
  }

  async function attempt(name: string, round: number): Promise<void> {
    const given: string[] = []
    authority.set(name, ({ type }) => {
      const { addresses, records } = answer(name, type === 'A' ? 'a' : 'aaaa')
      given.push(...addresses)
      return records
    })
    const exchange = await client.send({
      url: `http://${name}:${receiver.port}/`,
      headers: {},
      body: Buffer.from('{}'),
      deadlineMs: DEADLINE_MS,
    })
    assert.equal(authority.countOf(name, 'A'), round, 'one look-up an attempt')
    assert.equal(authority.countOf(name, 'AAAA'), round, 'one look-up an attempt')
    const expected = given.some((address) => address !== GOOD) ? 'refused' : given.length > 0 ? 'answered' : 'failed'
    assert.equal(exchange.outcome, expected, `${given} ended ${JSON.stringify(exchange)}`)
    counts[exchange.outcome] += 1
  }

  try {
    await Promise.all(
      Array.from({ length: NAMES }, async (_, i) => {
        for (let round = 1; round <= ROUNDS; round += 1) await attempt(`n${i}.example`, round)
      }),
    )
  } finally {
    watch.stop()
    await client.close()
    await canaries.close()
    await receiver.close()
    await authority.close()
  }
  t.diagnostic(`${JSON.stringify(counts)}, ${watch.calls} connections`)
  assert.deepEqual(new Set(watch.attempts), new Set([`${GOOD}:${receiver.port}`]))
  assert.equal(canaries.connections, 0)
  assert.equal(receiver.requests.length, counts.answered)
  for (const count of Object.values(counts)) assert.ok(count > 0, 'every outcome was seen')
})
