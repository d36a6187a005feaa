import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { startSmtpPeer } from '../support/smtp-peer.ts'

/** A mail that the sink took; `offeredAt` is when it said that the content may come (`performance.now()`). */
export type SunkMail = { to: string; messageId: string; text: string; offeredAt: number }

export type MailSink = {
  port: number
  mails: readonly SunkMail[]
  /** Ends the conversations in which it has taken a mail and says nothing. */
  hangUp(): void
  close(): Promise<void>
}

const MESSAGE_ID = /^Message-ID:\s*(<[^>]+>)/im

/**
 * Of a hundred mails of a server with moods: refused for now, refused for good, cut off with and without being taken, and taken without a
 * word, for so many at a time.
 */
const MOODS_PERCENT = { later: 5, never: 1, cutOff: 2, cutOffTaken: 2, silent: 3 }
const SILENT_MAX = 4

/** `mood` is a number from 0 to 1 for each mail, by which a server with moods decides; without it everything is taken. */
export async function startMailSink(mood: () => number = () => 1): Promise<MailSink> {
  const mails: SunkMail[] = []
  const silent: SMTPServerSession[] = []
  const { later, never, cutOff, cutOffTaken, silent: silentPercent } = MOODS_PERCENT
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) => {
    const percent = mood() * 100
    if (percent < later) done(refusal(450, '4.2.1 Try again later'))
    else if (percent < later + never) done(refusal(550, '5.1.1 Nobody of this name'))
    else done()
  }
  const peer = await startSmtpPeer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo,
    // Called before the 354 is written: only after it the service marks the message as being handed over.
    onData(stream, session, done) {
      const offeredAt = performance.now()
      const percent = mood() * 100
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', ' ')
        const messageId = MESSAGE_ID.exec(text)?.[1] ?? ''
        if (percent >= cutOff)
          for (const { address } of session.envelope.rcptTo) mails.push({ to: address, messageId, text, offeredAt })
        if (percent < cutOff + cutOffTaken) peer.drop(session)
        else if (percent < cutOff + cutOffTaken + silentPercent) {
          silent.push(session)
          if (silent.length > SILENT_MAX) peer.drop(silent.shift()!)
        } else done()
      })
    },
  })
  const hangUp = () => {
    for (const session of silent.splice(0)) peer.drop(session)
  }
  return { port: peer.port, mails, hangUp, close: () => peer.close() }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** The message that a mail is of: the second part of its Message-ID, in base 36. */
export function idOfMail({ messageId }: SunkMail): string {
  const [, id = ''] = messageId.split('.')
  return String(Number.parseInt(id, 36))
}

/** The first link of a mail below a path, as path; undefined where it has none. */
export function linkIn({ text }: SunkMail, path: string): string | undefined {
  return new RegExp(`https?://[^/\\s"<>]+(${path}[\\w.~-]+)`).exec(text)?.[1]
}
