export const REDIRECT_URI_CHARS_MAX = 300

/** RFC 8252 section 7.3, and `localhost`, which the clients of today use in spite of its section 8.3. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/**
 * Whether a client may have codes sent there: to a page over https, or to a program on the person's own machine. As the parser of
 * browsers spells it, so that nothing is read in two ways. Schemes of apps are not taken: any app on a machine may claim one.
 */
export function isAcceptableRedirect(uri: string): boolean {
  if (uri.length > REDIRECT_URI_CHARS_MAX || !URL.canParse(uri)) return false
  const { href, protocol, hostname, username, password } = new URL(uri)
  if ((href !== uri && href !== `${uri}/`) || uri.includes('#') || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

/**
 * Whether a redirect is one of those that the client has named: to the letter, but for the port of a program on the person's own
 * machine, which takes the one that is free (RFC 8252 section 7.3).
 */
export function isNamedRedirect(uri: string, named: readonly string[]): boolean {
  if (!isAcceptableRedirect(uri)) return false
  if (named.includes(uri)) return true
  return isOwnMachine(uri) && named.some((one) => isOwnMachine(one) && withoutPort(one) === withoutPort(uri))
}

function withoutPort(uri: string): string {
  const { hostname, pathname, search } = new URL(uri)
  return `${hostname}${pathname}${search}`
}

/** Whether what is sent there stays on the machine of whoever connects. */
export function isOwnMachine(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** The redirect with parameters of an answer (RFC 6749 section 4.1.2); its own query stays as it is. */
export function answeredAt(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
