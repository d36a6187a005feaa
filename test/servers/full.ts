import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SMTPServerDataStream } from 'smtp-server'
import { takeInMail } from '../../server/modules/feedback/take-in-mail.ts'
import { eventually } from '../support/eventually.ts'
import { BOUNCE_DOMAIN, feedbackWorld } from '../support/feedback-world.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { testWorkspace } from '../support/workspace.ts'
import { DEBIAN_SERVERS } from './debian-servers.ts'
import { runDebianServer, whyNoServers } from './run-debian-server.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)

/** A server is fetched and installed meanwhile. */
const SERVER_MS_MAX = 240_000
const REFUSALS: Readonly<Record<string, { code: number; text: string }>> = {
  unknown: { code: 550, text: '5.1.1 Recipient address rejected: User unknown' },
  full: { code: 552, text: '5.2.2 Mailbox full' },
  blocked: { code: 550, text: '5.7.1 Service unavailable; client [192.0.2.7] blocked using bl.receiver.example' },
}
const EXPECTED: Readonly<Record<string, [bounceKind: string, reason: string]>> = {
  unknown: ['permanent', 'address_refused'],
  full: ['transient', 'mailbox_full'],
  blocked: ['transient', 'policy_refused'],
}

/** The relay of a server: it refuses whom it is told to, and takes what comes back for us. */
async function startRelay() {
  const outcomes: string[] = []
  const peer = await startSmtpPeer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    hideENHANCEDSTATUSCODES: true,
    onRcptTo({ address }, _session, done) {
      const refusal = address.endsWith(`@${BOUNCE_DOMAIN}`) ? undefined : REFUSALS[address.split('-', 1)[0]!]
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const sender = mailFrom === false ? '' : mailFrom.address
      bytesOf(stream)
        .then((bytes) => takeInMail(world.deps, { bytes, recipients: rcptTo.map(({ address }) => address), sender }))
        .then(({ outcome }) => {
          outcomes.push(outcome)
          done()
        }, done)
    },
  })
  return { ...peer, outcomes }
}

async function bytesOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

for (const server of DEBIAN_SERVERS) {
  test(`what ${server.name} of Debian sends back is read, and judged right`, { skip: whyNoServers() }, async () => {
    const relay = await startRelay()
    const running = await runDebianServer(server, relay.port)
    try {
      const names = Object.keys(REFUSALS)
      const people = names.map((name) => `${name}-${server.name.toLowerCase().replace(' ', '-')}@receiver.example`)
      for (const to of people) running.send((await world.sent(workspaceId, to)).returnPath, to)
      const isDone = () => {
        running.stillRuns()
        return relay.outcomes.length === people.length
      }
      await eventually(`${server.name} sends back`, isDone, SERVER_MS_MAX).catch((error) => {
        throw new Error(running.said(), { cause: error })
      })
      assert.deepEqual(new Set(relay.outcomes), new Set(['feedback']))
      const events = await world.events(workspaceId)
      for (const [n, to] of people.entries()) {
        const told = events.filter(({ email }) => email === to).map(({ data }) => [data.bounceKind, data.reason])
        assert.deepEqual(told, [EXPECTED[names[n]!]], to)
      }
    } finally {
      await running.stop()
      await relay.close()
    }
  })
}
