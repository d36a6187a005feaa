import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import { judgeAddress, NO_NETWORKS, parseNetworks } from '../../server/platform/net/address-guard.ts'
import type { Exchange } from '../../server/platform/net/exchange.ts'
import { createGuardedClient, type GuardedClient } from '../../server/platform/net/guarded-client.ts'
import { judgeUrl } from '../../server/platform/net/judge-url.ts'
import { createResolver } from '../../server/platform/net/resolver.ts'
import { parseTarget } from '../../server/platform/net/url-guard.ts'
import { startDnsAuthority } from '../support/dns-authority.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  carriersOf,
  DENIED_IPV4,
  DENIED_IPV6,
  format,
  METADATA,
  neighboursOf,
  parseAddress,
  samplesOf,
  spellingsOf,
  spellingsOfIpv4,
} from './address-ranges.ts'
import { startCanaries, watchConnects } from './watch-connects.ts'

const DEADLINE_MS = 60_000
const authority = await startDnsAuthority()
const canaries = await startCanaries({ hosts: ['0.0.0.0', '::1'], ports: [0, 0, 0] })
const resolve = createResolver({ servers: [authority.server] })
const client = createGuardedClient({ allow: NO_NETWORKS, resolve })
after(async () => {
  await client.close()
  await canaries.close()
  await authority.close()
})

function post(from: GuardedClient, url: string): Promise<Exchange> {
  return from.send({ url, headers: {}, body: Buffer.from('{}'), deadlineMs: DEADLINE_MS })
}

/** Hosts with a canary's port, spread over the canaries and both schemes. */
function targetsOf(hosts: readonly string[]): string[] {
  return hosts.map((host, i) => `${i % 4 === 3 ? 'https' : 'http'}://${host}:${canaries.ports[i % 3]}/hook`)
}

/** Every URL is refused by judgement and by delivery, and nothing is ever connected to. */
async function assertNeverReached(urls: readonly string[]): Promise<void> {
  const watch = watchConnects()
  try {
    for (const url of urls) {
      const [judged, exchange] = await Promise.all([judgeUrl(url, { allow: NO_NETWORKS, resolve }), post(client, url)])
      assert.equal(judged.outcome, 'refused', `${url} was judged ${judged.outcome}`)
      assert.equal(exchange.outcome, 'refused', `${url} ended ${JSON.stringify(exchange)}`)
    }
  } finally {
    watch.stop()
  }
  assert.deepEqual(watch.attempts, [])
  assert.equal(watch.calls, 0)
  assert.equal(canaries.connections, 0)
}

const literals = [
  ...DENIED_IPV4.flatMap(samplesOf).map((address) => format(address)),
  ...DENIED_IPV6.flatMap(samplesOf).map((address) => `[${format(address)}]`),
  ...DENIED_IPV4.flatMap((range) => spellingsOf({ family: 4, value: (range.first + range.last) / 2n })),
  ...METADATA.flatMap(spellingsOf),
  ...spellingsOf(parseAddress('127.0.0.1')),
  ...spellingsOf(parseAddress('::1')),
  ...['127.1', '127.0.1', '0', '0.', '0x0', '00', '0x7f.1', '0177.1', '017700000001', '0x7F000001', '①②⑦.⓪.⓪.①'],
  ...['127.0.0.1%2e', '%31%32%37.0.0.1', '127。0。0。1', '127．0．0．1', '[::]', '[0:0:0:0:0:0:0:0]', '[::0.0.0.1]'],
  // A public address does not make its carrier public: what it is translated to is the network's choice.
  ...carriersOf(parseAddress('8.8.8.8').value).map((host) => `[${host}]`),
]

test('no literal address of a denied range is reached, in any spelling', async (t) => {
  const urls = [...new Set(targetsOf(literals))]
  t.diagnostic(`${urls.length} targets`)
  assert.ok(urls.length >= 400, `only ${urls.length} targets`)
  await assertNeverReached(urls)
})

test('no name of this machine or its network is looked up', async () => {
  const names = [
    ...[
      'localhost',
      'LocalHost',
      'localhost.',
      'a.localhost',
      'localhost.localdomain',
      'ip6-localhost',
      'broadcasthost',
    ],
    ...['printer.local', 'printer.local.', 'db.internal', 'metadata.google.internal', 'metadata.google.internal.'],
    ...[
      'metadata',
      'instance-data',
      'kubernetes',
      'postgres',
      'host.docker.internal',
      'router.home.arpa',
      'example.com.',
    ],
    ...[
      'ｌｏｃａｌｈｏｓｔ',
      'loc\u00adalhost',
      '%6c%6f%63%61%6c%68%6f%73%74',
      'ⓛocalhost',
      'db.ⓘnternal',
      'db。internal',
    ],
  ]
  const queriesBefore = authority.queries.length
  await assertNeverReached(targetsOf(names))
  assert.equal(authority.queries.length, queriesBefore)
})

test('no URL with credentials, another scheme or another protocol’s port is reached', async () => {
  const [port] = canaries.ports
  const urls = [
    ...['user@', 'user:secret@', ':secret@', 'example.com@', 'example.com%40@', 'a%3Ab@'].map(
      (credentials) => `http://${credentials}127.0.0.1:${port}/`,
    ),
    ...[`http://example.com:80@127.0.0.1:${port}/`, `http://example.com#@127.0.0.1:${port}/`.replace('#', '%23')],
    ...['ftp', 'file', 'gopher', 'ws', 'wss', 'data', 'unix', 'jar:http'].map(
      (scheme) => `${scheme}://127.0.0.1:${port}/`,
    ),
    ...[0, 22, 25, 110, 143, 465, 587, 3306, 5432, 6379, 9200, 11211].map(
      (refused) => `http://93.184.216.34:${refused}/`,
    ),
    ...[
      '',
      '//127.0.0.1/',
      '127.0.0.1',
      'http://',
      'http:///',
      'http://[::1',
      'http://[fe80::1%25eth0]/',
      'http://%00/',
    ],
    `http:\\\\127.0.0.1:${port}\\`,
    `http:127.0.0.1:${port}`,
    ` \t\nhttp://127.0.0.1:${port}/`,
    `h\nttp://127.0.0\t.1:${port}/`,
  ]
  await assertNeverReached(urls)
})

test('no name that resolves to a denied address is reached, alone, in company or by alias', async () => {
  const names: string[] = []
  function name(records: Parameters<typeof authority.set>[1]): void {
    const host = `n${names.length}.example`
    names.push(host)
    authority.set(host, records)
  }
  const good = { a: ['93.184.216.34'], aaaa: ['2606:4700:4700::1111'] }
  for (const range of DENIED_IPV4) {
    const a = [format({ family: 4, value: range.last })]
    name({ a })
    name({ a: [...good.a, ...a], aaaa: good.aaaa })
  }
  for (const range of DENIED_IPV6) {
    const aaaa = [format({ family: 6, value: range.first })]
    name({ aaaa })
    name({ a: good.a, aaaa: [...good.aaaa, ...aaaa] })
  }
  for (const target of ['127.0.0.1', '169.254.169.254', '10.0.0.1']) {
    const alias = `target-${names.length}.example`
    authority.set(alias, { a: [target] })
    name({ cname: alias })
    name({ cname: alias, ttlSeconds: 3600 })
  }
  await assertNeverReached(targetsOf(names))
})

test('a name that flips between look-ups is looked up once, and its later answer changes nothing', async () => {
  const receiver = await startReceiver()
  const exempted = createGuardedClient({ allow: parseNetworks('127.0.0.1/32'), resolve })
  const watch = watchConnects()
  try {
    for (const denied of ['127.0.0.2', '169.254.169.254', '10.0.0.1', '0.0.0.0']) {
      const host = `flip-${denied.replaceAll('.', '-')}.example`
      let asked = 0
      authority.set(host, ({ type }) => (type === 'A' ? { a: [asked++ % 2 === 0 ? '127.0.0.1' : denied] } : {}))
      assert.equal((await post(exempted, `http://${host}:${receiver.port}/`)).outcome, 'answered')
      assert.equal(asked, 1)
      assert.equal((await post(exempted, `http://${host}:${receiver.port}/`)).outcome, 'refused')
      assert.equal(asked, 2)
    }
  } finally {
    watch.stop()
    await exempted.close()
    await receiver.close()
  }
  assert.deepEqual(new Set(watch.attempts), new Set([`127.0.0.1:${receiver.port}`]))
})

test('no redirect is followed', async () => {
  const receiver = await startReceiver()
  const exempted = createGuardedClient({ allow: parseNetworks('127.0.0.1/32'), resolve })
  const [port] = canaries.ports
  const locations = [
    ...[
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.2:${port}/`,
      `http://[::1]:${port}/`,
      `//127.0.0.1:${port}/`,
      '/again',
    ],
    ...['http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', `http://localhost:${port}/`],
  ]
  const watch = watchConnects()
  let count = 0
  try {
    for (const location of locations) {
      for (const status of [300, 301, 302, 303, 305, 307, 308]) {
        receiver.behave({ kind: 'answer', status, headers: { location } })
        const exchange = await post(exempted, receiver.url)
        assert.equal(exchange.outcome === 'answered' && exchange.status, status)
        count += 1
      }
    }
  } finally {
    watch.stop()
    await exempted.close()
    await receiver.close()
  }
  assert.equal(receiver.requests.length, count)
  assert.deepEqual(new Set(watch.attempts), new Set([`127.0.0.1:${receiver.port}`]))
  assert.equal(canaries.connections, 0)
})

test('the addresses just outside every range are allowed, in every spelling', (t) => {
  const neighbours = [...DENIED_IPV4, ...DENIED_IPV6].flatMap(neighboursOf)
  const hosts = neighbours.flatMap((address) =>
    address.family === 4 ? spellingsOfIpv4(address.value) : spellingsOf(address),
  )
  t.diagnostic(`${new Set(neighbours.map(format)).size} neighbours in ${new Set(hosts).size} spellings`)
  assert.ok(new Set(neighbours.map(format)).size >= 60)
  for (const address of neighbours) {
    assert.equal(judgeAddress(format(address), NO_NETWORKS).outcome, 'allowed', format(address))
  }
  for (const host of hosts) {
    assert.equal(parseTarget(`http://${host}/`, NO_NETWORKS).outcome, 'allowed', host)
  }
})

test('the canaries would have sung', async () => {
  for (const port of canaries.ports) {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1']) {
      const before = canaries.connections
      const socket = net.connect(port, host)
      await new Promise((close) => socket.once('close', close))
      assert.equal(canaries.connections, before + 1)
    }
  }
})
