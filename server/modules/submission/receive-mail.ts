import type { SMTPServerDataStream } from 'smtp-server'

/** `release` gives the room back that the bytes take, once nobody reads them any more. */
export type Received =
  | { outcome: 'received'; raw: Buffer; release(): void }
  | { outcome: 'too_large' }
  | { outcome: 'no_room' }

/** Of all mails together that come in or wait for their commit. */
const ROOM_BYTES = 128 * 1024 * 1024

/** Of one sender's mails: others still find room. */
const SHARE_BYTES = 32 * 1024 * 1024

/** The room as one sender has it. */
export type Room = { hasSpace(): boolean; take(bytes: number): boolean; giveBack(bytes: number): void }

/** Memory for mails that come in: for all of them together, of which nobody has more than a share. */
export class ReceivingRoom {
  #left: number
  readonly #shareBytes: number
  readonly #taken = new Map<string, number>()

  constructor({ bytes = ROOM_BYTES, shareBytes = SHARE_BYTES } = {}) {
    this.#left = bytes
    this.#shareBytes = shareBytes
  }

  of(sender: string): Room {
    const taken = () => this.#taken.get(sender) ?? 0
    const left = () => Math.min(this.#left, this.#shareBytes - taken())
    const note = (bytes: number) => {
      this.#left -= bytes
      if (taken() + bytes === 0) this.#taken.delete(sender)
      else this.#taken.set(sender, taken() + bytes)
    }
    return {
      hasSpace: () => left() > 0,
      take(bytes) {
        if (bytes > left()) return false
        note(bytes)
        return true
      },
      giveBack: (bytes) => note(-bytes),
    }
  }
}

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
      else if (outcome === 'received' && !room.take(chunk.length)) outcome = 'no_room'
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
