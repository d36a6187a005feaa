import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONNECTIONS_A_CLIENT, ConnectionShares } from './connection-shares.ts'

const connection = (id: number, remoteAddress: string) => ({ id: String(id), remoteAddress })

test('a client has its share of connections, in IPv6 all of its network together, and gets it back', () => {
  const shares = new ConnectionShares()
  const mine = Array.from({ length: CONNECTIONS_A_CLIENT + 3 }, (_, n) => connection(n, `2001:db8::${n + 1}`))
  const admitted = mine.filter((one) => shares.admit(one))
  assert.equal(admitted.length, CONNECTIONS_A_CLIENT)
  assert.ok(shares.admit(connection(50, '2001:db8:0:1::1')), 'another network has its own')
  assert.ok(shares.admit(connection(51, '192.0.2.1')))
  // One that was refused closes as well.
  for (const one of mine.slice(CONNECTIONS_A_CLIENT)) shares.leave(one)
  assert.ok(!shares.admit(connection(60, '2001:db8::ffff')))
  shares.leave({ id: 'gone before it was ready' })
  assert.ok(!shares.admit(connection(60, '2001:db8::ffff')))
  shares.leave({ id: mine[0]!.id })
  shares.leave({ id: mine[0]!.id })
  assert.ok(shares.admit(connection(60, '2001:db8::ffff')))
})
