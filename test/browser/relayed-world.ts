import { relayAt, storeSenderIn } from '../support/sending-world.ts'
import type { SmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance } from '../support/tested-instance.ts'
import { openWorld, type World } from './world.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 11).toString('base64')

/** A world whose mail goes out signed, through a server on loopback. */
export async function openRelayedWorld(relay: SmtpPeer, env: Record<string, string> = {}): Promise<World> {
  let url = ''
  const world = await openWorld({ ...env, ENCRYPTION_KEY }, async (settings) => {
    const instance = await startTestedInstance(settings)
    url = instance.database.url
    return instance
  })
  await storeSenderIn(url, ENCRYPTION_KEY)
  await world.site('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
  return world
}
