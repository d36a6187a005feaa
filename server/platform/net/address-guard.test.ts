import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AddressRefusal, canonicalAddress, judgeAddress, NO_NETWORKS, parseNetworks } from './address-guard.ts'

function reasonFor(address: string, allow = NO_NETWORKS): AddressRefusal | 'allowed' {
  const verdict = judgeAddress(address, allow)
  return verdict.outcome === 'allowed' ? 'allowed' : verdict.reason
}

test('a public address is allowed, IPv4 and IPv6', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:830::200e']) {
    assert.equal(reasonFor(address), 'allowed', address)
  }
})

test('a refusal names what the address is', () => {
  const expected: [string, AddressRefusal][] = [
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['169.254.1.1', 'link_local'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['10.1.2.3', 'private'],
    ['fd12::1', 'private'],
    ['100.64.0.1', 'shared'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['64:ff9b::808:808', 'embedded'],
    ['2002:808:808::1', 'embedded'],
    ['2001:0:4136:e378::1', 'embedded'],
    ['2001:2::1', 'protocol_assignment'],
    ['2001:db8::1', 'documentation'],
    ['4000::1', 'not_global'],
  ]
  for (const [address, reason] of expected) assert.equal(reasonFor(address), reason, address)
})

test('an IPv4-mapped address is named after what is inside, and refused even when that is public', () => {
  assert.equal(reasonFor('::ffff:127.0.0.1'), 'loopback')
  assert.equal(reasonFor('::ffff:a9fe:a9fe'), 'metadata')
  assert.equal(reasonFor('::ffff:8.8.8.8'), 'embedded')
})

test('an exempted network wins, for the IPv4 address and its mapped form, and for nothing beside it', () => {
  const allow = parseNetworks('10.1.0.0/16, 169.254.169.254, fd12::/32')
  for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '169.254.169.254', 'fd12::1']) {
    assert.equal(reasonFor(address, allow), 'allowed', address)
  }
  for (const address of ['10.0.255.255', '10.2.0.0', '::ffff:10.2.0.0', '::10.1.2.3', '169.254.169.253', 'fd13::1']) {
    assert.notEqual(reasonFor(address, allow), 'allowed', address)
  }
})

test('an exempted IPv6 network never covers IPv4', () => {
  assert.equal(reasonFor('10.0.0.1', parseNetworks('8000::/1, ::/1')), 'private')
})

test('text that is no plain address is refused', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '256.1.1.1', 'fe80::1%eth0', '[::1]', '1.2.3.4:80']) {
    assert.equal(reasonFor(text), 'not_an_address', text)
  }
})

test('a list of networks says which entry is wrong', () => {
  assert.equal(parseNetworks('').size, 0)
  assert.equal(parseNetworks(' 10.0.0.0/8 , ::1 ,').size, 2)
  for (const entry of [
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    'fd00::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/ 8',
    '*',
    'fe80::1%lo/64',
  ]) {
    assert.throws(
      () => parseNetworks(`192.168.0.0/16,${entry}`),
      (error: Error) => error.message.endsWith(`: ${entry}`) && !error.message.includes('\n'),
      entry,
    )
  }
})

test('addresses are compared in the spelling a socket uses', () => {
  assert.equal(canonicalAddress('2001:0DB8:0:0::0001'), '2001:db8::1')
  assert.equal(canonicalAddress('::ffff:7f00:1'), '::ffff:127.0.0.1')
  assert.equal(canonicalAddress('8.8.8.8'), '8.8.8.8')
})
