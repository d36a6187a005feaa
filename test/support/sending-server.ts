import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type SendingServer = {
  port: number
  /** Message-IDs of what each address has got, in order of arrival. */
  copies(): ReadonlyMap<string, readonly string[]>
  close(): Promise<void>
}

/** A foreign mail server that takes everything, answers after `answerMs()`, and remembers who got what. */
export async function startSendingServer({ answerMs }: { answerMs: () => number }): Promise<SendingServer> {
  const copies = new Map<string, string[]>()
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, closeTimeout: 100 },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [, id = ''] = /^Message-ID: <([^>]+)>/im.exec(Buffer.concat(chunks).toString()) ?? []
        for (const { address } of session.envelope.rcptTo) copies.set(address, [...(copies.get(address) ?? []), id])
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
