import type net from 'node:net'
import type tls from 'node:tls'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

type Connection = SMTPServer['connections'] extends Set<infer C> ? C : never

/** A reply's text that begins with an enhanced status code of its own (RFC 3463). */
const OWN_CODE = /^[245]\.\d{1,3}\.\d{1,3} /
const LOGIN = /^auth\b/i

/**
 * An SMTP server whose replies keep the enhanced codes they are given, and that asks for TLS before a login (RFC 4954 section
 * 6, RFC 3207 section 4) rather than not knowing the command.
 */
export class SubmissionServer extends SMTPServer {
  readonly #prepared = new WeakSet<Connection>()

  override connect(socket: net.Socket | tls.TLSSocket, ...options: [Parameters<SMTPServer['connect']>[1]?]): void {
    super.connect(socket, ...options)
    // Nothing has been said yet: the greeting waits for clients that talk too soon. One too many is gone already.
    for (const connection of [...this.connections].slice(-1)) this.#prepare(connection)
  }

  #prepare(connection: Connection): void {
    if (this.#prepared.has(connection)) return
    this.#prepared.add(connection)
    const send = connection.send.bind(connection)
    connection.send = (code, text, context) => {
      send(code, text, typeof text === 'string' && OWN_CODE.test(text) ? false : context)
    }
    const onCommand = connection._onCommand.bind(connection)
    connection._onCommand = (command, next) => {
      const isAsked = !connection._nextHandler && !connection._upgrading && LOGIN.test(command.toString('latin1'))
      if (!isAsked || connection.session.disabledCommands?.includes('AUTH') !== true) return onCommand(command, next)
      connection.send(530, TLS_FIRST)
      setImmediate(next ?? (() => undefined))
    }
  }

  /** The connection of a session; undefined when it is gone. */
  connectionOf({ id }: SMTPServerSession): Connection | undefined {
    return this.connections.values().find((connection) => connection.id === id)
  }

  /** Has those go that are between two mails, and lets the others end what they are at. */
  endIdle(): void {
    for (const connection of [...this.connections]) {
      if (!connection._handlerPending && !connection._dataStream) connection.send(421, '4.3.2 Closing')
    }
  }
}

export const TLS_FIRST = '5.7.0 Must issue a STARTTLS command first'
