import net from 'node:net'
import { type AddressRefusal, judgeAddress, type Networks } from './address-guard.ts'

/** Why a URL is refused before any look-up; an address reason when its host is a literal address. */
export type UrlRefusal = 'invalid_url' | 'too_long' | 'scheme' | 'credentials' | 'port' | 'local_name' | AddressRefusal

/** Where a request goes: what the connection, the TLS name, the Host header and the request line need. */
export type Target = {
  /** `https://hooks.example.com:8443`, in canonical spelling. */
  origin: string
  secure: boolean
  /** Name or literal address, without brackets. */
  hostname: string
  /** Whether `hostname` is a literal address, which no resolver ever sees. */
  literal: boolean
  port: number
  /** Path and query. */
  path: string
}

export type UrlVerdict =
  | { outcome: 'allowed'; target: Target }
  | { outcome: 'refused'; reason: UrlRefusal; message: string }

export const URL_CHARACTERS_MAX = 2048
export const HOSTNAME_CHARACTERS_MAX = 253

/**
 * Ports no HTTP receiver listens on: the Fetch standard's port blocking (https://fetch.spec.whatwg.org/#port-blocking)
 * with port 0, and the well-known databases, queues, remote shells and control planes it leaves out. A POST body is
 * the sender's text: on a line-based protocol it could be read as commands.
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // SMB, rsync, SQL Server, Oracle, ZooKeeper, Docker, etcd, MySQL, RDP, PostgreSQL, AMQP, VNC, Redis
  445, 873, 1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 6379,
  // Cassandra, Kafka, Elasticsearch, kubelet, memcached, MongoDB
  9042, 9092, 9200, 9300, 10250, 11211, 27017,
])

/** For whoever runs the instance and meets with a refusal. */
export const ALLOWING = 'Whoever runs this instance can allow networks with WEBHOOK_ALLOW_NETWORKS.'

/** An absolute address as RFC 9110 writes it: the parser guesses the slashes where there are none, or others. */
const WITH_HOST = /^https?:\/\/[^/\\]/i

/** Names that mean this machine or its own network: RFC 6761, 6762, 8375, and ICANN's `.internal`. */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/** Where `localhost` is, for whoever exempts it: no name server is asked. */
const LOOPBACK = '127.0.0.1'

/**
 * Judges a URL before anything is looked up. Only the WHATWG parser reads it, so every spelling of an address
 * (`0x7f.1`, `2130706433`, full-width digits) is judged as what it becomes. Exempted networks (`allow`) count for
 * literal addresses, and for `localhost` by http; no other name is exempt from the name rules.
 */
export function parseTarget(text: string, allow: Networks): UrlVerdict {
  if (text.length > URL_CHARACTERS_MAX)
    return refuse('too_long', `The URL is longer than ${URL_CHARACTERS_MAX} characters.`)
  const url = URL.parse(text)
  if (url === null) return refuse('invalid_url', 'This is not an absolute URL.')
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') return refuse('scheme', 'The URL must begin with https:// or http://.')
  if (!WITH_HOST.test(text.trim())) return refuse('invalid_url', 'This is not an absolute URL.')
  if (url.username !== '' || url.password !== '') {
    return refuse('credentials', 'The URL may not carry a user name or a password.')
  }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  if (REFUSED_PORTS.has(port)) return refuse('port', `Port ${port} is not a port of an HTTP receiver.`)

  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  if (hostname === 'localhost' && !secure && judgeAddress(LOOPBACK, allow).outcome === 'allowed') {
    url.hostname = LOOPBACK
    return parseTarget(url.href, allow)
  }
  const literal = net.isIP(hostname) !== 0
  if (literal) {
    const verdict = judgeAddress(hostname, allow)
    if (verdict.outcome === 'refused')
      return refuse(verdict.reason, `The URL names an address that is not public. ${ALLOWING}`)
  } else if (hostname.length > HOSTNAME_CHARACTERS_MAX || /^\.|\.\./.test(hostname)) {
    return refuse('invalid_url', 'The host name of the URL is not valid.')
  } else if (!hostname.includes('.') || hostname.endsWith('.') || LOCAL_NAME.test(hostname)) {
    return refuse(
      'local_name',
      `The host of the URL must be a public name, such as hooks.example.com, or an address. ${ALLOWING}`,
    )
  }
  return {
    outcome: 'allowed',
    target: { origin: url.origin, secure, hostname, literal, port, path: url.pathname + url.search },
  }
}

function refuse(reason: UrlRefusal, message: string): UrlVerdict {
  return { outcome: 'refused', reason, message }
}
