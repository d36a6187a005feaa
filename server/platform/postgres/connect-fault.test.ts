import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastingFault, requireAddress } from './connect-fault.ts'

const refused = (code: string) =>
  lastingFault(Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code }), '/d')

test('a machine without an IPv4 loopback is told so in one line with both ways out', () => {
  // A network namespace whose `lo` is down answers the first of them, one without IPv4 the others.
  for (const code of ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']) {
    assert.equal(
      refused(code)?.message,
      'this machine has no address 127.0.0.1 to reach the embedded database at (ip link set lo up); ' +
        'set DATABASE_URL to use a PostgreSQL server of your own (15 or newer)',
      code,
    )
    assert.equal(refused(code)?.name, 'PostgresStartError')
  }
})

test('an address that the machine lacks is found out before a database is made', async () => {
  await assert.rejects(
    requireAddress('203.0.113.7'),
    /^PostgresStartError: this machine has no address 203\.0\.113\.7 /,
  )
  await requireAddress()
})

test('kept passwords that the server refuses are named with the file they are in', () => {
  assert.match(refused('28P01')?.message ?? '', /^the database of \/d does not accept .*: remove \/d\/postgres\.json /)
})

test('a server that is only beginning is asked again', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', '57P03']) assert.equal(refused(code), undefined, code)
})
