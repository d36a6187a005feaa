import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { checkDatabase } from './check-database.ts'
import { hostsOf } from './database-hosts.ts'
import { migrate } from './migrate.ts'
import { createPool } from './pool.ts'

const CLOSED_PORT = 1
const database = await createTestDatabase({ migrated: false })
const real = new URL(database.url)
const pools: pg.Pool[] = []
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

/** The test's database by several hosts. */
const addressOf = (ports: readonly number[], query = '') =>
  `postgres://${real.username}:${real.password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}${real.pathname}${query}`

function poolOf(url: string): pg.Pool {
  const pool = createPool({ name: 'sql', url, max: 2, patience: 20 })
  pools.push(pool)
  return pool
}

const portOf = async (pool: pg.Pool) => {
  const client = await pool.connect()
  const { port } = client as unknown as { port: number }
  await client.query('select 1')
  client.release()
  return port
}

/** Lets everybody in and says that it is a standby, as PostgreSQL does at the beginning of a session. */
async function startStandby() {
  const message = (type: string, body: string | Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(message('R', Buffer.alloc(4)))
      socket.write(message('S', 'in_hot_standby\0on\0'))
      socket.write(message('Z', 'I'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

test('an address of several hosts is read as libpq reads it', () => {
  const read = (address: string) => hostsOf(address)?.map(({ host, port, url }) => [host, port, url])
  assert.equal(read('postgres://u:p@one:5432/db?target_session_attrs=read-write'), undefined)
  assert.deepEqual(
    read('postgresql://u:p%40@one,two:5433,[::1]:6000/db?sslmode=disable&target_session_attrs=primary'),
    [
      ['one', 5432, 'postgresql://u:p%40@one/db?sslmode=disable'],
      ['two', 5433, 'postgresql://u:p%40@two:5433/db?sslmode=disable'],
      ['::1', 6000, 'postgresql://u:p%40@[::1]:6000/db?sslmode=disable'],
    ],
  )
  for (const address of [
    'postgres://one,/db',
    'postgres://one,two:x/db',
    'postgres://a,b/db?target_session_attrs=standby',
  ])
    assert.throws(() => hostsOf(address), address)
})

test('of several hosts the one that takes writes is found, behind a closed port and a standby', async (t) => {
  const standby = await startStandby()
  t.after(() => standby.close())
  const port = Number(real.port)
  const address = addressOf([CLOSED_PORT, standby.port, port], '?target_session_attrs=read-write')
  assert.equal((await checkDatabase(address, 'DATABASE_URL')).role, undefined)
  assert.ok((await migrate({ url: address })).length > 0)
  assert.equal(await portOf(poolOf(address)), port)
})

test('where no host takes writes a connection is refused with the reason, and comes when one does', async (t) => {
  const standby = await startStandby()
  t.after(() => standby.close())
  const pool = poolOf(addressOf([CLOSED_PORT, standby.port]))
  await assert.rejects(pool.query('select 1'), { code: '25006' })
  await assert.rejects(checkDatabase(addressOf([standby.port, CLOSED_PORT]), 'DATABASE_URL'), /ECONNREFUSED/)
})

test('after a failover the pool finds the host that took over', async (t) => {
  const [first, second] = [await startTcpProxy(Number(real.port)), await startTcpProxy(Number(real.port))]
  t.after(() => Promise.all([first.close(), second.close()]))
  const pool = poolOf(addressOf([first.port, second.port]))
  assert.equal(await portOf(pool), first.port)
  await first.become('refuse')
  await eventually('it is at the other host', async () => (await portOf(pool).catch(() => 0)) === second.port)
  await first.become('pass')
  assert.equal(await portOf(pool), second.port, 'it stays where it is')
})

/** Far less than the minute after which a server closes by itself what nobody has logged in by. */
const CLOSED_WITHIN_MS = 20_000

test('a connection without the password that it is asked for is closed, of a pool as of a client', async (t) => {
  const proxy = await startTcpProxy(Number(real.port))
  t.after(() => proxy.close())
  const address = Object.assign(new URL(real), { port: String(proxy.port), password: '' }).href
  for (const connect of [() => checkDatabase(address, 'DATABASE_URL'), () => poolOf(address).connect()]) {
    await assert.rejects(connect(), /password/)
    await eventually('it is closed', () => proxy.connections() === 0, CLOSED_WITHIN_MS)
  }
})
