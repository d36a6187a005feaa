import { once } from 'node:events'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'

/** A client that says on a connection to a mail server what the test tells it to, right or wrong. */
export class SmtpTalk {
  readonly socket: Duplex
  /** Replies that nobody has waited for yet. */
  readonly replies: string[] = []
  #rest = ''
  #isOver = false
  #wake = Promise.withResolvers<void>()

  constructor(socket: Duplex) {
    this.socket = socket
    socket.on('data', (bytes: Buffer) => this.#read(bytes.toString('latin1')))
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#isOver = true
      this.#wake.resolve()
    })
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\r\n')
    this.#rest = lines.pop() ?? ''
    let reply = ''
    for (const line of lines) {
      reply += reply === '' ? line : `\n${line}`
      if (/^\d{3}-/.test(line)) continue
      this.replies.push(reply)
      reply = ''
    }
    if (reply !== '') this.#rest = `${reply.replaceAll('\n', '\r\n')}\r\n${this.#rest}`
    this.#wake.resolve()
  }

  /** The next reply, all its lines; `closed` when there is none to come. */
  async reply(): Promise<string> {
    while (this.replies.length === 0) {
      if (this.#isOver) return 'closed'
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
      if (this.#isOver) this.#wake.resolve()
    }
    return this.replies.shift()!
  }

  /** Says lines, and answers the reply to the last of them; others stay in `replies`. */
  async say(...lines: string[]): Promise<string> {
    this.socket.write(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
    return this.reply()
  }

  /** The connection under TLS, whoever the certificate is of. What the server has said so far is forgotten. */
  async secured(): Promise<SmtpTalk> {
    this.socket.removeAllListeners('data')
    const socket = tls.connect({ socket: this.socket as net.Socket, rejectUnauthorized: false })
    const talk = new SmtpTalk(socket)
    await once(socket, 'secureConnect')
    return talk
  }

  end(): void {
    this.socket.destroy()
  }
}

/** Connects to a server of loopback and hears its greeting. */
export async function talkTo(port: number, first = ''): Promise<{ talk: SmtpTalk; greeting: string }> {
  const socket = net.connect(port, '127.0.0.1')
  const talk = new SmtpTalk(socket)
  await once(socket, 'connect')
  if (first !== '') socket.write(first)
  return { talk, greeting: await talk.reply() }
}
