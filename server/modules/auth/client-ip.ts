import type { FastifyRequest } from 'fastify'

const MAPPED = '::ffff:'

/** The client's address as people write it: IPv4 stays IPv4 on a socket that listens for both. */
export function clientIp({ address }: FastifyRequest): string {
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address
}

/** The network that one subscriber is given: an address of IPv4, the first 64 bits of IPv6. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest]
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
