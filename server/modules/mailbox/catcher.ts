import type pg from 'pg'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { MINUTE_MS } from '../../platform/durations.ts'
import { isClientGone, listenSmtp, type SmtpListener, smtpError } from '../../platform/mail/smtp-listener.ts'
import type { CatcherAddress, CatcherSetting } from './catcher-address.ts'
import { createMailWriter, type MailWriter } from './mail-writer.ts'
import { isRight, workspaceOf } from './mailbox-login.ts'
import { passwordHashOf } from './queries.ts'

const MESSAGE_BYTES_MAX = 25 * 1024 * 1024
const CONNECTIONS_MAX = 200
const RECIPIENTS_MAX = 1_000
const IDLE_TIMEOUT_MS = 5 * MINUTE_MS
const CLOSE_TIMEOUT_MS = 1_000
/** Characters of a header that the list shows. */
const HEADER_CHARS_MAX = 500

export type Catcher = { address: CatcherAddress; close(): Promise<void> }
export type CatcherDeps = { sql: pg.Pool; onError: (error: unknown) => void }

/**
 * Listens for mail, which it keeps for its workspace and passes on to nobody. A client logs in as its workspace; its
 * message is answered for once it is durable. Rejects when the address cannot be listened on.
 */
export async function startCatcher({ sql, onError }: CatcherDeps, address: CatcherSetting): Promise<Catcher> {
  const writer = createMailWriter(sql, onError)
  const server = new SMTPServer({
    banner: 'Postroom mailbox',
    authMethods: ['PLAIN', 'LOGIN'],
    // Clear text on loopback: there is nobody in between.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    size: MESSAGE_BYTES_MAX,
    rejectOversized: true,
    maxClients: CONNECTIONS_MAX,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onAuth({ username, password }, _session, done) {
      logIn(sql, username ?? '', password ?? '').then(
        (user) => (user === undefined ? done(smtpError(535, 'Wrong user name or password')) : done(null, { user })),
        (error) => done(away(error, onError)),
      )
    },
    onRcptTo(_address, { envelope }, done) {
      done(envelope.rcptTo.length < RECIPIENTS_MAX ? null : smtpError(452, 'Too many recipients'))
    },
    onData(stream, session, done) {
      keep(writer, stream, session).then(
        () => done(null, 'Kept in the mailbox'),
        (error) => done(away(error, onError)),
      )
    },
  })
  const { port, close } = await listen(server, address)
  return { address: { host: address.host, port }, close }
}

async function listen(server: SMTPServer, { host, port, orAnyPort }: CatcherSetting): Promise<SmtpListener> {
  return listenSmtp(server, { host, port }).catch((error: NodeJS.ErrnoException) => {
    if (!orAnyPort || error.code !== 'EADDRINUSE') throw error
    return listenSmtp(server, { host, port: 0 })
  })
}

/** The workspace that logs in, or undefined for a wrong login. */
async function logIn(sql: pg.Pool, username: string, password: string): Promise<string | undefined> {
  const workspaceId = workspaceOf(username)
  const stored = workspaceId && (await passwordHashOf(sql, workspaceId))
  return stored && isRight(password, stored) ? workspaceId : undefined
}

async function keep(writer: MailWriter, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // The server refuses what is too long when it has ended; until then it is read and let go of.
    if (bytes <= MESSAGE_BYTES_MAX) chunks.push(chunk)
    else chunks.length = 0
  }
  if (bytes > MESSAGE_BYTES_MAX) return
  const raw = Buffer.concat(chunks)
  const { mailFrom, rcptTo } = session.envelope
  await writer.write({
    workspaceId: session.user as string,
    mailFrom: mailFrom === false ? '' : mailFrom.address,
    recipients: rcptTo.map(({ address }) => address),
    ...(await readHead(raw)),
    raw,
  })
}

const NO_HEAD: Partial<Email> = {}
/** Of a header: reading it takes 0.5 ms a KiB, which others wait for. */
const HEAD_BYTES_MAX = 64 * 1024

/** The line that the list shows of a message; from its header alone, whatever its size. */
async function readHead(raw: Buffer) {
  const start = raw.subarray(0, HEAD_BYTES_MAX)
  const end = start.indexOf('\r\n\r\n')
  // A header that cannot be read is left out; the message is kept as it is all the same.
  const head = await PostalMime.parse(end === -1 ? start : start.subarray(0, end + 4)).catch(() => NO_HEAD)
  const texts = (addresses: Email['to']) => addresses?.map(({ name, address }) => name || address).join(', ')
  return {
    subject: shown(head.subject),
    fromText: shown(head.from && (head.from.name || head.from.address)),
    toText: shown(texts(head.to)),
  }
}

/** Text as the database takes it, cut to what is shown. */
function shown(text: string | undefined): string {
  return (text ?? '').replaceAll('\0', '').slice(0, HEADER_CHARS_MAX)
}

function away(error: unknown, onError: (error: unknown) => void): Error {
  if (!isClientGone(error)) onError(error)
  return smtpError(451, 'The database is away, try again')
}
