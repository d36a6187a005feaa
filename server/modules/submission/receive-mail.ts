import type { SMTPServerDataStream } from 'smtp-server'
import type { Room } from '../../platform/receiving-room.ts'

/** `release` gives the room back that the bytes take, once nobody reads them any more. */
export type Received =
  | { outcome: 'received'; raw: Buffer; release(): void }
  | { outcome: 'too_large' }
  | { outcome: 'no_room' }

/** Of all mails together that come in or wait for their commit. */
export const ROOM_BYTES = 128 * 1024 * 1024

/** Of one sender's mails: others still find room. */
export const SHARE_BYTES = 32 * 1024 * 1024

/**
 * Reads a mail to its end, and lets go of it as soon as it cannot be taken. Rejects when its client goes away before the end:
 * a part of a mail is none.
 */
export async function receiveMail(stream: SMTPServerDataStream, room: Room, bytesMax: number): Promise<Received> {
  let chunks: Buffer[] = []
  let bytes = 0
  let held = 0
  let outcome: Received['outcome'] = 'received'
  const release = () => {
    room.giveBack(held)
    held = 0
    chunks = []
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax) outcome = 'too_large'
      else if (outcome === 'received' && room.take(chunk.length)) outcome = 'no_room'
      else if (outcome === 'received') {
        chunks.push(chunk)
        held += chunk.length
      }
      if (outcome !== 'received') release()
    }
  } catch (error) {
    release()
    throw error
  }
  return outcome === 'received' ? { outcome, raw: Buffer.concat(chunks), release } : { outcome }
}
