import { startSmtpPeer } from '../support/smtp-peer.ts'

/** A mail that the sink took; `offeredAt` is when it said that the content may come (`performance.now()`). */
export type SunkMail = { to: string; messageId: string; text: string; offeredAt: number }

export type MailSink = { port: number; mails: readonly SunkMail[]; close(): Promise<void> }

const MESSAGE_ID = /^Message-ID:\s*(<[^>]+>)/im

/** A foreign mail server that takes everything, and notes who got what. */
export async function startMailSink(): Promise<MailSink> {
  const mails: SunkMail[] = []
  const peer = await startSmtpPeer({
    authOptional: true,
    hideSTARTTLS: true,
    // Called before the 354 is written: only after it the service marks the message as being handed over.
    onData(stream, { envelope }, done) {
      const offeredAt = performance.now()
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', ' ')
        const messageId = MESSAGE_ID.exec(text)?.[1] ?? ''
        for (const { address } of envelope.rcptTo) mails.push({ to: address, messageId, text, offeredAt })
        done()
      })
    },
  })
  return { port: peer.port, mails, close: () => peer.close() }
}

/** The first link of a mail below a path, as path; undefined where it has none. */
export function linkIn({ text }: SunkMail, path: string): string | undefined {
  return new RegExp(`https?://[^/\\s"<>]+(${path}[\\w.~-]+)`).exec(text)?.[1]
}
