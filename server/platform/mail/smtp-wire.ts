import type net from 'node:net'
import { TLSSocket } from 'node:tls'
import { createReplyReader, type WireReply } from './read-replies.ts'

/** How a connection ended: no reply will come any more. */
export type WireBreak = 'connection_lost' | 'timeout' | 'malformed_reply'

/** How long a server may take to answer QUIT. */
const QUIT_TIMEOUT_MS = 2_000
/** Replies nobody asked for, at most: several times what one message with all its recipients draws. */
const UNREAD_MAX = 1_000

type Waiter = (result: WireReply | WireBreak) => void

/** A connection to a mail server, by the line: one writes commands and waits for as many replies. */
export class SmtpWire {
  /** Extensions the server offers, by keyword in capitals (`PIPELINING`), each with its parameters in capitals. */
  extensions: ReadonlyMap<string, readonly string[]> = new Map()
  /** Why it cannot be used any more; null while it can. */
  broken: WireBreak | null = null
  readonly #socket: net.Socket
  readonly #onData = (chunk: Buffer) => this.#read(chunk)
  readonly #onLost = () => this.#break('connection_lost')
  readonly #onClosed = () => {
    this.#break('connection_lost')
    this.#onClose?.()
    this.#onClose = undefined
  }
  readonly #reader = createReplyReader()
  readonly #replies: WireReply[] = []
  #waiter: Waiter | undefined
  #onClose: (() => void) | undefined

  /** Nobody else must read from the socket. */
  constructor(socket: net.Socket) {
    this.#socket = socket
    // Half of a connection is of no use: a server that ends its side will not answer.
    socket.on('data', this.#onData).on('error', this.#onLost).on('end', this.#onLost).on('close', this.#onClosed)
    if (socket.destroyed) this.broken = 'connection_lost'
  }

  /** `TLSv1.3`, or null for clear text. */
  get tlsVersion(): string | null {
    return this.#socket instanceof TLSSocket ? this.#socket.getProtocol() : null
  }

  /** Largest message in bytes; null where the server names none. */
  get sizeMax(): number | null {
    const size = Number(this.extensions.get('SIZE')?.[0] ?? 0)
    return size > 0 ? size : null
  }

  /** Replies that have come without anybody waiting for them: a server that speaks first is about to close. */
  get unread(): number {
    return this.#replies.length
  }

  /** Takes the last reply for the answer to EHLO. */
  learnExtensions(): void {
    const extensions = new Map<string, readonly string[]>()
    for (const line of this.#reader.lastTexts.slice(1)) {
      // Old servers say `AUTH=LOGIN`, many say it both ways.
      const [keyword = '', ...parameters] = line.toUpperCase().trim().split(/[ =]+/)
      extensions.set(keyword, [...(extensions.get(keyword) ?? []), ...parameters])
    }
    this.extensions = extensions
  }

  /** Gives the socket up, for TLS to begin on it; null if the server has said more than it was asked. */
  yieldSocket(): net.Socket | null {
    if (this.broken !== null || this.unread > 0 || this.#reader.isAmid) return null
    const socket = this.#socket
    socket.off('data', this.#onData).off('error', this.#onLost).off('end', this.#onLost).off('close', this.#onClosed)
    this.broken = 'connection_lost'
    return socket
  }

  /** Resolves when the bytes are with the system; false when they did not get there in time, or the connection broke. */
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

  /** The next reply, or why none comes. */
  reply(timeoutMs: number): Promise<WireReply | WireBreak> {
    return new Promise((resolve) => {
      // Replies from before the end of the connection still count.
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

  /** Called once, when the connection is over, whoever ended it. */
  onClose(callback: () => void): void {
    if (this.#socket.closed) callback()
    else this.#onClose = callback
  }

  /** Says QUIT, and closes when the server has answered or a moment has passed. */
  quit(): void {
    if (this.broken !== null) return
    this.#socket.end('QUIT\r\n')
    setTimeout(() => this.#socket.destroy(), QUIT_TIMEOUT_MS).unref()
  }

  /** Tears the connection down: what was not written will not be. */
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
