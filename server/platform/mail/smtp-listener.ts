import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { SMTPServer } from 'smtp-server'

export type SmtpListener = { host: string; port: number; close(): Promise<void> }

/** Has a server listen; `close` lets what is under way end. Rejects when the address cannot be listened on. */
export async function listenSmtp(
  server: SMTPServer,
  at: { host?: string | undefined; port: number },
): Promise<SmtpListener> {
  // A client's own broken connection concerns nobody else.
  server.on('error', () => undefined)
  const listening = server.listen(at.port, at.host)
  await once(listening, 'listening')
  const { address, port } = listening.address() as AddressInfo
  return { host: address, port, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Whether a mail broke off because its client went away: a part of a mail is none, and nobody is there to be answered. */
export function isClientGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNECTION'
}

/** The reply to a command that is not carried out. */
export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
