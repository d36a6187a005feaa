import { once } from 'node:events'
import net from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { RECEIVER_CERTIFICATE } from './receiver-certificate.ts'

/** The one login that a foreign SMTP server of the tests takes. */
export const SMTP_LOGIN = { username: 'relay-user', password: 'canary-smtp-password-7f3a' }

export type SmtpPeer = {
  readonly port: number
  /** `mechanism:username` of each login that was tried. */
  readonly logins: readonly string[]
  /** Messages taken, as they came. */
  readonly messages: readonly string[]
  readonly connectionsOpen: number
  /** Connections accepted so far. */
  readonly connectionsAccepted: number
  /** Breaks the connection of a session, without a word. */
  drop(session: SMTPServerSession): void
  close(): Promise<void>
}

/** Starts the foreign SMTP server on loopback, with the certificate of `receiver.example`. */
export async function startSmtpPeer(options: SMTPServerOptions = {}): Promise<SmtpPeer> {
  const logins: string[] = []
  const messages: string[] = []
  let connectionsAccepted = 0
  const server = new SMTPServer({
    ...RECEIVER_CERTIFICATE,
    authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect(_session, done) {
      connectionsAccepted += 1
      done()
    },
    onAuth(auth, _session, done) {
      logins.push(`${auth.method}:${auth.username}`)
      const known = auth.username === SMTP_LOGIN.username
      const right =
        auth.method === 'CRAM-MD5' ? auth.validatePassword(SMTP_LOGIN.password) : auth.password === SMTP_LOGIN.password
      if (known && right) done(null, { user: auth.username })
      else done(new Error('Invalid username or password'))
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        messages.push(Buffer.concat(chunks).toString())
        done()
      })
    },
    ...options,
  })
  // A client that ends in the middle of a handshake is what the tests do.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as net.AddressInfo).port,
    logins,
    messages,
    get connectionsOpen() {
      return server.connections.size
    },
    get connectionsAccepted() {
      return connectionsAccepted
    },
    drop({ id }) {
      for (const connection of server.connections as Set<{ id: string; _socket: net.Socket }>)
        if (connection.id === id) connection._socket.destroy()
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The reply of a scripted server to a line; the first line is '' and stands for the connection itself. */
export type SmtpScript = (line: string, socket: net.Socket) => string | undefined

export type ScriptedPeer = { readonly port: number; readonly lines: readonly string[]; close(): Promise<void> }

/** A mail server that says what the test tells it to, right or wrong; undefined = nothing. */
export async function startScriptedSmtp(script: SmtpScript): Promise<ScriptedPeer> {
  const lines: string[] = []
  const sockets = new Set<net.Socket>()
  function serve(socket: net.Socket): void {
    let rest = ''
    // Several short replies in a row would each wait for the one before them to be acknowledged.
    socket.setNoDelay(true)
    const say = (line: string) => {
      const answer = script(line, socket)
      if (answer !== undefined && !socket.destroyed) socket.write(`${answer}\r\n`)
    }
    socket.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        say(line)
      }
    })
    say('')
  }
  const server = net.createServer(serve)
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    lines,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
