/** Where a listener of its own is bound. */
export type ListenAddress = {
  /** Undefined: every address of the machine. */
  host: string | undefined
  port: number
}

const ADDRESS = /^(?:(?<host>[a-zA-Z0-9.-]+)|\[(?<ipv6>[0-9a-fA-F:.]+)\])?:(?<port>\d{1,5})$/

/** Reads `host:port`, `:port` or `[::1]:port`; port 0 takes a free one. Throws one line that says what is expected. */
export function parseListenAddress(text: string): ListenAddress {
  const { host, ipv6, port } = ADDRESS.exec(text)?.groups ?? {}
  if (port === undefined || Number(port) > 65_535) {
    throw new Error(`must be host:port, :port or [ipv6]:port, not ${JSON.stringify(text)}`)
  }
  return { host: host ?? ipv6, port: Number(port) }
}
