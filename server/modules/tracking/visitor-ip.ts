import { isIP } from 'node:net'

/** The address of whoever follows a link, for the database. Behind a proxy it is what a header says: null for what is none. */
export function visitorIp(clientIp: string): string | null {
  // The zone of a link-local address means nothing elsewhere.
  const [ip = ''] = clientIp.split('%')
  return isIP(ip) === 0 ? null : ip
}
