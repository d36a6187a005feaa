import type net from 'node:net'
import type { SmtpSession } from './open-smtp.ts'
import { createReplyReader, type WireReply } from './read-replies.ts'

/** How a connection ended: no reply will come any more. */
export type WireBreak = 'connection_lost' | 'timeout' | 'malformed_reply'

/** An opened SMTP session, by the line: one writes commands and waits for as many replies. */
export type SmtpWire = {
  /** Extensions the server offers, by keyword in capitals (`PIPELINING`); `SIZE` with its limit in `sizeMax`. */
  readonly extensions: ReadonlySet<string>
  /** Largest message in bytes; null where the server names none. */
  readonly sizeMax: number | null
  /** Why it cannot be used any more; null while it can. */
  readonly broken: WireBreak | null
  /** Replies that have come without anybody waiting for them: a server that speaks first is about to close. */
  readonly unread: number
  /** Resolves when the bytes are with the system; false when they did not get there in time, or the connection broke. */
  write(bytes: readonly (Buffer | string)[], timeoutMs: number): Promise<boolean>
  /** The next reply, or why none comes. */
  reply(timeoutMs: number): Promise<WireReply | WireBreak>
  /** Called once, when the connection is over, whoever ended it. */
  onClose(callback: () => void): void
  /** Says QUIT, and closes when the server has answered or a moment has passed. */
  quit(): void
  /** Tears the connection down: what was not written will not be. */
  destroy(): void
}

/** How long a server may take to answer QUIT. */
const QUIT_TIMEOUT_MS = 2_000
/** Replies nobody asked for, at most: several times what one message with all its recipients draws. */
const UNREAD_MAX = 1_000

/** What of nodemailer's connection is taken; these are its own fields, the test of the opening holds them to this. */
type Inside = {
  _socket: net.Socket
  _ehloLines?: string[]
  _remainder: string
  _responseQueue: string[]
} & Record<'_onSocketData' | '_onSocketError' | '_onSocketClose' | '_onSocketEnd' | '_onSocketTimeout', () => void>

/** Takes the socket of an opened session over: from here on the session itself must not be used. */
export function takeOver({ connection }: SmtpSession): SmtpWire {
  const inside = connection as unknown as Inside
  const socket = inside._socket
  socket.setTimeout(0)
  socket.off('data', inside._onSocketData).off('timeout', inside._onSocketTimeout)
  socket.off('close', inside._onSocketClose).off('end', inside._onSocketEnd).off('error', inside._onSocketError)
  if (socket.listenerCount('data') > 0) throw new Error('somebody else reads from the SMTP session')
  const spokeFirst = inside._remainder !== '' || inside._responseQueue.length > 0
  const wire = new Wire(socket, inside._ehloLines ?? [])
  if (spokeFirst) wire.destroy()
  return wire
}

type Waiter = (result: WireReply | WireBreak) => void

class Wire implements SmtpWire {
  readonly extensions: ReadonlySet<string>
  readonly sizeMax: number | null
  broken: WireBreak | null = null
  readonly #socket: net.Socket
  readonly #reader = createReplyReader()
  readonly #replies: WireReply[] = []
  #waiter: Waiter | undefined
  #onClose: (() => void) | undefined

  constructor(socket: net.Socket, ehloLines: readonly string[]) {
    const offered = ehloLines.map((line) => line.toUpperCase().split(/ +/))
    this.extensions = new Set(offered.map(([keyword = '']) => keyword))
    const size = Number(offered.find(([keyword]) => keyword === 'SIZE')?.[1] ?? 0)
    this.sizeMax = size > 0 ? size : null
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => this.#break('connection_lost'))
    // Half of a connection is of no use: a server that ends its side will not answer.
    socket.on('end', () => this.#break('connection_lost'))
    socket.on('close', () => {
      this.#break('connection_lost')
      this.#onClose?.()
      this.#onClose = undefined
    })
    if (socket.destroyed) this.broken = 'connection_lost'
  }

  get unread(): number {
    return this.#replies.length
  }

  write(parts: readonly (Buffer | string)[], timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.broken !== null) return resolve(false)
      const timer = setTimeout(() => {
        this.#break('timeout')
        resolve(false)
      }, timeoutMs)
      const written = (error?: Error | null) => {
        clearTimeout(timer)
        resolve(!error && this.broken === null)
      }
      this.#socket.cork()
      for (const part of parts.slice(0, -1)) this.#socket.write(part)
      this.#socket.write(parts.at(-1) ?? '', written)
      this.#socket.uncork()
    })
  }

  reply(timeoutMs: number): Promise<WireReply | WireBreak> {
    return new Promise((resolve) => {
      // What was said before the connection ended still counts.
      const said = this.#replies.shift()
      if (said !== undefined) return resolve(said)
      if (this.broken !== null) return resolve(this.broken)
      const timer = setTimeout(() => this.#break('timeout'), timeoutMs)
      this.#waiter = (result) => {
        clearTimeout(timer)
        this.#waiter = undefined
        resolve(result)
      }
    })
  }

  onClose(callback: () => void): void {
    if (this.#socket.closed) callback()
    else this.#onClose = callback
  }

  quit(): void {
    if (this.broken !== null) return
    this.#socket.end('QUIT\r\n')
    setTimeout(() => this.#socket.destroy(), QUIT_TIMEOUT_MS).unref()
  }

  destroy(): void {
    this.#break('connection_lost')
  }

  #read(chunk: Buffer): void {
    const replies = this.#reader.push(chunk)
    if (replies !== null) this.#replies.push(...replies)
    if (replies === null || this.#replies.length > UNREAD_MAX) this.#break('malformed_reply')
    const [first] = this.#replies
    if (first === undefined || this.#waiter === undefined) return
    this.#replies.shift()
    this.#waiter(first)
  }

  #break(how: WireBreak): void {
    this.#socket.destroy()
    if (this.broken !== null) return
    this.broken = how
    this.#waiter?.(how)
  }
}
