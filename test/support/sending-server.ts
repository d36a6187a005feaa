import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type SendingServer = {
  port: number
  /** Message-IDs of what each address has got, in order of arrival. */
  copies(): ReadonlyMap<string, readonly string[]>
  /** The subject of the last one, as it stands in the header. */
  subjectOf(address: string): string | undefined
  /** Resolves when so many more messages have come. */
  arrivals(count: number): Promise<void>
  close(): Promise<void>
}

/** A foreign mail server that takes everything, answers after `answerMs()`, and remembers who got what. */
export async function startSendingServer({ answerMs }: { answerMs: () => number }): Promise<SendingServer> {
  const copies = new Map<string, string[]>()
  const subjects = new Map<string, string>()
  const awaited = new Set<{ left: number; done: () => void }>()
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, closeTimeout: 100 },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const message = Buffer.concat(chunks).toString()
        const [, id = ''] = /^Message-ID: <([^>]+)>/im.exec(message) ?? []
        const [, subject = ''] = /^Subject: (.*?)\r?$/im.exec(message) ?? []
        for (const { address } of session.envelope.rcptTo) {
          copies.set(address, [...(copies.get(address) ?? []), id])
          subjects.set(address, subject)
        }
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
    subjectOf: (address) => subjects.get(address),
    arrivals: (left) => new Promise((done) => awaited.add({ left, done })),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
