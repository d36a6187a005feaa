import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { type Answer, decode, encode, type Packet, type RecordType } from 'dns-packet'

/**
 * Answers for a name. A `cname` is followed inside the authority, as a recursive resolver would; a name without the
 * asked type answers without records. `silent` never answers.
 */
export type DnsRecords = {
  a?: readonly string[]
  aaaa?: readonly string[]
  /** Names of mail servers, the preferred first. */
  mx?: readonly string[]
  /** A record is its strings, or a text that is split where it has to be. */
  txt?: readonly (string | readonly string[])[]
  cname?: string
  /** Answers with the alias alone, as a server that is no resolver does. */
  aliasOnly?: boolean
  /** Over UDP only the mark that the answer was cut off: the asker has to come back over TCP. */
  truncated?: boolean
  failure?: 'SERVFAIL' | 'REFUSED' | 'NXDOMAIN'
  silent?: boolean
  delayMs?: number
  /** Default 0: nobody may keep the answer. */
  ttlSeconds?: number
}

/** One that is sent again, since its answer is late, has the same id. */
export type DnsQuery = { id: number; name: string; type: RecordType; transport: 'udp' | 'tcp' }

export type DnsAuthority = {
  /** `127.0.0.1:port`, as `DNS_SERVERS` takes it. */
  readonly server: string
  /** Every query received, oldest first. */
  readonly queries: readonly DnsQuery[]
  /** Sets what a name answers from now on; a function decides at each query (a flip). Unset names do not exist. */
  set(name: string, records: DnsRecords | ((query: DnsQuery) => DnsRecords)): void
  /** Queries received for a name, of one type or of all. */
  countOf(name: string, type?: RecordType): number
  close(): Promise<void>
}

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
const CNAMES_MAX = 8
const TXT_STRING = /.{1,255}/gs
const TRUNCATED = 0x0200
const LENGTH_BYTES = 2
const PORT_TRIES_MAX = 20

/** Starts a DNS server on loopback that answers from what the test sets. */
export async function startDnsAuthority(): Promise<DnsAuthority> {
  const zone = new Map<string, DnsRecords | ((query: DnsQuery) => DnsRecords)>()
  const queries: DnsQuery[] = []
  const timers = new Set<NodeJS.Timeout>()

  function recordsOf(query: DnsQuery): DnsRecords {
    const records = zone.get(query.name) ?? { failure: 'NXDOMAIN' }
    return typeof records === 'function' ? records(query) : records
  }

  function answer(packet: Packet, query: DnsQuery): { bytes: Buffer; delayMs: number } | undefined {
    const answers: Answer[] = []
    let records = recordsOf(query)
    let name = query.name
    let delayMs = records.delayMs ?? 0
    for (let hop = 0; records.cname !== undefined && hop < CNAMES_MAX; hop += 1) {
      answers.push({ type: 'CNAME', name, data: records.cname, ttl: records.ttlSeconds ?? 0 })
      if (records.aliasOnly === true) break
      name = records.cname.toLowerCase()
      records = recordsOf({ ...query, name })
      delayMs += records.delayMs ?? 0
    }
    if (records.silent === true) return undefined
    const ttl = records.ttlSeconds ?? 0
    if (query.type === 'A') for (const data of records.a ?? []) answers.push({ type: 'A', name, data, ttl })
    if (query.type === 'AAAA') for (const data of records.aaaa ?? []) answers.push({ type: 'AAAA', name, data, ttl })
    if (query.type === 'MX') {
      for (const [nth, exchange] of (records.mx ?? []).entries()) {
        answers.push({ type: 'MX', name, data: { preference: 10 * (nth + 1), exchange }, ttl })
      }
    }
    if (query.type === 'TXT') {
      for (const data of records.txt ?? []) {
        answers.push({ type: 'TXT', name, data: typeof data === 'string' ? stringsOf(data) : [...data], ttl })
      }
    }
    const rcode = records.failure === undefined ? 0 : RCODES[records.failure]
    // 0x0400 authoritative, 0x0080 recursion available; the low four bits carry the rcode.
    const isCut = records.truncated === true && query.transport === 'udp'
    const flags = 0x0400 | 0x0080 | (packet.flags ?? 0) | rcode | (isCut ? TRUNCATED : 0)
    const { id = 0, questions = [] } = packet
    return { bytes: encode({ type: 'response', id, flags, questions, answers: isCut ? [] : answers }), delayMs }
  }

  function receive(message: Buffer, transport: DnsQuery['transport'], send: (reply: Buffer) => void): void {
    const packet = decode(message)
    const question = packet.questions?.[0]
    if (question === undefined) return
    const query = { id: packet.id ?? 0, name: question.name.toLowerCase(), type: question.type, transport }
    queries.push(query)
    const reply = answer(packet, query)
    if (reply === undefined) return
    if (reply.delayMs === 0) {
      send(reply.bytes)
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      send(reply.bytes)
    }, reply.delayMs)
    timers.add(timer)
  }

  // RFC 1035 section 4.2.2: over TCP each message comes after its length.
  const connections = new Set<net.Socket>()
  const listener = net.createServer((connection) => {
    connections.add(connection.on('close', () => connections.delete(connection)).on('error', () => undefined))
    let received = Buffer.alloc(0)
    connection.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= LENGTH_BYTES && received.length >= LENGTH_BYTES + received.readUInt16BE()) {
        const end = LENGTH_BYTES + received.readUInt16BE()
        receive(received.subarray(LENGTH_BYTES, end), 'tcp', (reply) => {
          const length = Buffer.alloc(LENGTH_BYTES)
          length.writeUInt16BE(reply.length)
          connection.write(Buffer.concat([length, reply]))
        })
        received = received.subarray(end)
      }
    })
  })
  const { socket, port } = await listenOnOnePort(listener)
  socket.on('message', (message, peer) => {
    receive(message, 'udp', (reply) => socket.send(reply, peer.port, peer.address))
  })

  return {
    server: `127.0.0.1:${port}`,
    queries,
    set(name, records) {
      zone.set(name.toLowerCase(), records)
    },
    countOf(name, type) {
      const asked = queries.filter((query) => query.name === name.toLowerCase())
      return type === undefined ? asked.length : asked.filter((query) => query.type === type).length
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      for (const connection of connections) connection.destroy()
      socket.close()
      listener.close()
      await Promise.all([once(socket, 'close'), once(listener, 'close')])
    },
  }
}

/** A port that is free for TCP may be taken for UDP: then another one is tried. */
async function listenOnOnePort(listener: net.Server): Promise<{ socket: dgram.Socket; port: number }> {
  for (let tries = 1; ; tries++) {
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as net.AddressInfo
    const socket = dgram.createSocket('udp4')
    try {
      socket.bind(port, '127.0.0.1')
      await once(socket, 'listening')
      return { socket, port }
    } catch (error) {
      socket.close()
      listener.close()
      await once(listener, 'close')
      if (tries === PORT_TRIES_MAX) throw error
    }
  }
}

/** RFC 1035 section 3.3.14: a record is one or more strings of at most 255 bytes. */
function stringsOf(text: string): string[] {
  return text.match(TXT_STRING) ?? ['']
}
