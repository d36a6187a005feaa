import { once } from 'node:events'
import type net from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail whose content came whole. Times of `performance.now()`. */
export type Delivered = { messageId: string; offeredAt: number; takenAt: number }

export type FireSink = {
  port: number
  /** By recipient. */
  delivered: ReadonlyMap<string, Delivered[]>
  close(): Promise<void>
}

const MESSAGE_ID = /^Message-ID:\s*(<[^>]+>)/im
/** The header of a message is in its first bytes. */
const HEAD_BYTES = 16_384

/** It thinks before it answers for a message, so that a kill finds some that were handed over and not answered. */
const REPLY_MS_MAX = 30

/** A foreign SMTP server that notes who got what, and when it had offered to take it. */
export async function startFireSink(): Promise<FireSink> {
  const delivered = new Map<string, Delivered[]>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    // Called before the 354 is written.
    onData(stream, session, done) {
      const offeredAt = performance.now()
      const chunks: Buffer[] = []
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        if (bytes < HEAD_BYTES) chunks.push(chunk)
        bytes += chunk.length
      })
      stream.on('end', () => {
        const messageId = MESSAGE_ID.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? ''
        for (const { address } of session.envelope.rcptTo) {
          const mails = delivered.get(address) ?? []
          mails.push({ messageId, offeredAt, takenAt: performance.now() })
          delivered.set(address, mails)
        }
        setTimeout(done, Math.random() * REPLY_MS_MAX)
      })
    },
  })
  // A client that is killed in the middle of a message is what the test does.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as net.AddressInfo).port,
    delivered,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
