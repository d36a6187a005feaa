import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDialogue } from '../../../../test/support/smtp-dialogue.ts'
import { PRIVATE_NETWORKS } from '../../../platform/mail/mail-host.ts'
import { parseNetworks } from '../../../platform/net/address-guard.ts'
import { createGuardedClient } from '../../../platform/net/guarded-client.ts'
import type { SendingIntegration } from '../../integrations/sending-integration.ts'
import type { Handing } from './transport.ts'
import { createTransports } from './transports.ts'

const resolve = async () => ({ outcome: 'resolved' as const, addresses: ['127.0.0.1'] })
const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve })
const [before, behind] = [await startDialogue(), await startDialogue()]
const errors: unknown[] = []
const transports = createTransports({
  mail: { allow: PRIVATE_NETWORKS, resolve },
  client,
  onError: (error) => errors.push(error),
})
after(async () => {
  await transports.close()
  await Promise.all([before.close(), behind.close(), client.close()])
  assert.deepEqual(errors, [])
})

function integration(id: string, updatedAt: string, port: number): SendingIntegration {
  const limits = { perSecond: null, perDay: null }
  const smtp = { host: 'mx.there.example', port, tls: 'none' as const, login: null }
  const who = { from: 'a@us.example', fromName: null }
  return { workspaceId: '1', id, provider: 'smtp', updatedAt, ...who, ...limits, smtp, ses: null }
}
const handing: Handing = {
  envelope: { from: 'a@us.example', to: ['jo@there.example'] },
  bytes: Buffer.from('a: b\r\n\r\nc\r\n'),
  beforeContent: async () => true,
}

test('an integration has one way out, which follows its settings, also for who asked before they changed', async () => {
  const first = transports.of(integration('1', '2026-11-21T09:00:00Z', before.port))
  assert.equal(transports.of(integration('1', '2026-11-21T09:00:00Z', before.port)), first)
  assert.notEqual(transports.of(integration('2', '2026-11-21T09:00:00Z', before.port)), first)
  assert.equal((await first.send(handing)).outcome, 'accepted')
  assert.equal(transports.of(integration('1', '2026-11-21T09:00:00.000001Z', behind.port)), first)
  assert.equal((await first.send(handing)).outcome, 'accepted')
  assert.deepEqual([before.contents.length, behind.contents.length], [1, 1])
  // Read before the change and asked for behind it.
  transports.of(integration('1', '2026-11-21T08:59:59Z', before.port))
  assert.equal((await first.send(handing)).outcome, 'accepted')
  assert.deepEqual([before.contents.length, behind.contents.length], [1, 2])
})
