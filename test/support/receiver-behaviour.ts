import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** The act of a receiver on a request it has read. Everything but `answer` is meant to hurt. */
export type Behaviour =
  | { kind: 'answer'; status?: number; headers?: OutgoingHttpHeaders; body?: string | Buffer; delayMs?: number }
  /** Never answers. */
  | { kind: 'silent' }
  /** One byte of the answer's headers a second. */
  | { kind: 'drip_headers' }
  /** Good headers, then one byte of body a second. */
  | { kind: 'drip_body' }
  | { kind: 'endless_body' }
  /** A header line of this many bytes. */
  | { kind: 'huge_header'; bytes: number }
  | { kind: 'endless_headers' }
  | { kind: 'endless_reason_phrase' }
  | { kind: 'endless_chunk_extension' }
  | { kind: 'endless_trailers' }
  /** Small body that inflates to `bytes`. */
  | { kind: 'gzip_bomb'; bytes: number }
  /** 103 Early Hints without end. */
  | { kind: 'informational_storm' }
  | { kind: 'switching_protocols' }
  | { kind: 'redirect'; location: string }
  /** RST, nothing answered. */
  | { kind: 'reset' }
  /** RST in the middle of the body. */
  | { kind: 'reset_in_body' }
  /** FIN, nothing answered. */
  | { kind: 'close' }
  /** Closes before the promised length. */
  | { kind: 'short_body' }
  | { kind: 'garbage' }
  /** Two contradicting lengths. */
  | { kind: 'two_lengths' }
  /** An answer nobody asked for behind the good one. */
  | { kind: 'second_answer' }

const DRIP_INTERVAL_MS = 1_000
const FLOOD_CHUNK = 'x'.repeat(64 * 1024)

/** Plays a behaviour on a response whose request has been read. */
export function misbehave(behaviour: Behaviour, response: ServerResponse): void {
  const { socket } = response
  if (socket === null || socket.destroyed) return
  switch (behaviour.kind) {
    case 'answer': {
      const answer = (): void => {
        response.writeHead(behaviour.status ?? 200, behaviour.headers)
        response.end(behaviour.body ?? '')
      }
      if (behaviour.delayMs === undefined) answer()
      else untilClosed(response, setTimeout(answer, behaviour.delayMs))
      return
    }
    case 'silent':
      return
    case 'drip_headers':
      drip(response, `HTTP/1.1 200 OK\r\nx-drip: ${'x'.repeat(1_000)}`)
      return
    case 'drip_body':
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      drip(response, 'x'.repeat(1_000))
      return
    case 'endless_body':
      flood(response, 'HTTP/1.1 200 OK\r\n\r\n', FLOOD_CHUNK)
      return
    case 'huge_header':
      socket.write(`HTTP/1.1 200 OK\r\nx-huge: ${'x'.repeat(behaviour.bytes)}\r\ncontent-length: 0\r\n\r\n`)
      return
    case 'endless_headers':
      flood(response, 'HTTP/1.1 200 OK\r\n', 'x-more: header\r\n'.repeat(1_000))
      return
    case 'endless_reason_phrase':
      flood(response, 'HTTP/1.1 200 ', FLOOD_CHUNK)
      return
    case 'endless_chunk_extension':
      flood(response, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;x=', FLOOD_CHUNK)
      return
    case 'endless_trailers':
      flood(response, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x: y\r\n'.repeat(1_000))
      return
    case 'gzip_bomb': {
      const body = gzipSync(Buffer.alloc(behaviour.bytes))
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length })
      response.end(body)
      return
    }
    case 'informational_storm':
      flood(response, '', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100))
      return
    case 'switching_protocols':
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
      return
    case 'redirect':
      response.writeHead(302, { location: behaviour.location })
      response.end()
      return
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'reset_in_body':
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', () => socket.resetAndDestroy())
      return
    case 'close':
      socket.end()
      return
    case 'short_body':
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf')
      return
    case 'garbage':
      socket.end('SSH-2.0-OpenSSH_9.9\r\n')
      return
    case 'two_lengths':
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nhello')
      return
    case 'second_answer': {
      const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'
      socket.write(`${answer}ok${answer}no`)
      return
    }
  }
}

function drip(response: ServerResponse, text: string): void {
  let sent = 0
  const timer = setInterval(() => {
    response.socket?.write(text.charAt(sent))
    sent += 1
    if (sent === text.length) clearInterval(timer)
  }, DRIP_INTERVAL_MS)
  untilClosed(response, timer)
}

function untilClosed(response: ServerResponse, timer: NodeJS.Timeout): void {
  response.once('close', () => clearInterval(timer))
}

/** Writes `head`, then `chunk` for as long as the other side takes it. */
function flood(response: ServerResponse, head: string, chunk: string): void {
  const { socket } = response
  if (socket === null) return
  const pour = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(chunk));
  }
  socket.on('drain', pour)
  if (head !== '') socket.write(head)
  pour()
}
