import type { SmtpServer } from '../../platform/mail/smtp-server.ts'

/** Where the built-in mail server listens. */
export type CatcherAddress = { host: string; port: number }

export type CatcherSetting = CatcherAddress & {
  /** Whether a port that is taken gives way to a free one. */
  orAnyPort: boolean
}

const ADDRESS = /^(?:(?<host>localhost|127(?:\.\d{1,3}){3})|\[(?<ipv6>::1)\])?:(?<port>\d{1,5})$/

/** Reads `127.0.0.1:2525`, `[::1]:2525` or `:2525`; port 0 takes a free one. Nothing beyond this machine is listened on. */
export function parseCatcherAddress(text: string): CatcherAddress {
  const { host, ipv6, port } = ADDRESS.exec(text)?.groups ?? {}
  if (port === undefined || Number(port) > 65_535) {
    throw new Error(`must be off, or an address of this machine such as 127.0.0.1:2525, not ${JSON.stringify(text)}`)
  }
  return { host: ipv6 ?? (host === undefined || host === 'localhost' ? '127.0.0.1' : host), port: Number(port) }
}

/**
 * Whether what is sent through an integration ends in the built-in mail server of this process, so that it cannot leave
 * the machine: only for such mail a domain need not be verified.
 */
export function isCatcher(
  address: CatcherAddress | undefined,
  { smtp }: { smtp: Pick<SmtpServer, 'host' | 'port'> | null },
): boolean {
  return address !== undefined && smtp !== null && smtp.host === address.host && smtp.port === address.port
}
