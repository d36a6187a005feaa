import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { REPORT_BYTES_MAX } from '../../platform/mail/parse-report.ts'
import { isClientGone, listenSmtp, type SmtpListener, smtpError } from '../../platform/mail/smtp-listener.ts'
import type { ListenAddress } from '../../platform/net/listen-address.ts'
import { ConnectionShares } from '../auth/connection-shares.ts'
import { type MailDeps, takeInMail } from './take-in-mail.ts'

export type ReturnedMailDeps = MailDeps & { bounceDomain: string; onError: (error: unknown) => void }
export type ReturnedMailListener = SmtpListener

/** A returned message may be in it whole; of each, `REPORT_BYTES_MAX` are kept. */
const MAIL_BYTES_MAX = 50 * 1024 * 1024
const CONNECTIONS_MAX = 100
const RECIPIENTS_MAX = 10
const IDLE_TIMEOUT_MS = 60_000
const CLOSE_TIMEOUT_MS = 2_000
/** Of the bounce domain, besides return paths: where complaints are sent, which providers are told beforehand. */
const OPEN_MAILBOXES: ReadonlySet<string> = new Set(['abuse', 'complaints', 'fbl', 'postmaster'])

/**
 * Takes in returned mail by SMTP, as the MX of the bounce domain: only for return paths and unsubscribe addresses that we made
 * and for the mailboxes of complaints, so that it is nobody's relay and nobody's mailbox. A mail is answered for once what it says is
 * committed; until the database takes it, the sender is told to try again. Rejects when the address cannot be listened on.
 */
export async function startReturnedMail(deps: ReturnedMailDeps, at: ListenAddress): Promise<ReturnedMailListener> {
  const { bounceDomain, onError } = deps
  const isOurs = (address: string) => {
    const [local = '', domain = ''] = address.toLowerCase().split('@', 2)
    if (deps.returnPaths.read(address) !== null || deps.unsubscribes.read(address) !== null) return true
    return domain === bounceDomain && OPEN_MAILBOXES.has(local)
  }
  const shares = new ConnectionShares()
  const server = new SMTPServer({
    name: bounceDomain,
    banner: 'returned mail',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    size: MAIL_BYTES_MAX,
    maxClients: CONNECTIONS_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onConnect(session, done) {
      done(shares.admit(session) ? null : smtpError(421, 'Too many connections of yours, try again later'))
    },
    onClose: (session) => shares.leave(session),
    onRcptTo({ address }, { envelope }, done) {
      if (!isOurs(address)) done(smtpError(550, 'No such return path'))
      else done(envelope.rcptTo.length < RECIPIENTS_MAX ? null : smtpError(452, 'Too many recipients'))
    },
    onData(stream, { envelope }, done) {
      const recipients = envelope.rcptTo.map(({ address }) => address)
      const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
      beginningOf(stream)
        .then((bytes) => takeInMail(deps, { bytes, recipients, sender }))
        .then(
          () => done(null, 'Noted'),
          (error) => {
            if (!isClientGone(error)) onError(error)
            done(smtpError(451, 'Not now, try again'))
          },
        )
    },
  })
  return listenSmtp(server, at)
}

/** The part of a mail that is read; the rest passes by. */
async function beginningOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < REPORT_BYTES_MAX) chunks.push(chunk)
    bytes += chunk.length
  }
  return Buffer.concat(chunks).subarray(0, REPORT_BYTES_MAX)
}
