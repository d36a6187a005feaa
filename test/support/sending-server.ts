import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type SendingServer = {
  port: number
  /** Message-IDs of what each address has got, in order of arrival. */
  copies(): ReadonlyMap<string, readonly string[]>
  /** Resolves when so many more messages have come. */
  arrivals(count: number): Promise<void>
  close(): Promise<void>
}

/** A foreign mail server that takes everything, answers after `answerMs()`, and remembers who got what. */
export async function startSendingServer({ answerMs }: { answerMs: () => number }): Promise<SendingServer> {
  const copies = new Map<string, string[]>()
  const awaited = new Set<{ left: number; done: () => void }>()
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, closeTimeout: 100 },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [, id = ''] = /^Message-ID: <([^>]+)>/im.exec(Buffer.concat(chunks).toString()) ?? []
        for (const { address } of session.envelope.rcptTo) copies.set(address, [...(copies.get(address) ?? []), id])
        for (const one of awaited) if (--one.left <= 0 && awaited.delete(one)) one.done()
        setTimeout(done, answerMs())
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as AddressInfo).port,
    copies: () => copies,
    arrivals: (left) => new Promise((done) => awaited.add({ left, done })),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
