/** Sizes go up by doubling: a message is written into the smallest that holds it. */
const SIZE_MIN = 8 * 1_024
const SIZE_MAX = 1_024 * 1_024
/** Memory that waits to be used again, at most: as much as the messages under way to a fast server. */
const KEPT_BYTES_MAX = 8 * 1_024 * 1_024

export type MessageMemory = {
  /** Bytes to write all of before they are read: they hold what they held before. */
  take(bytes: number): Buffer
  /** For the next `take`. Nobody may read them any more; what is never given back is collected as anything else. */
  giveBack(taken: Buffer): void
}

/**
 * Memory that goes round among messages. With a buffer of its own for each message, a thousand of 25 KB a second, the
 * collector marks the whole heap about once a second: it goes by the bytes that buffers take.
 */
export function createMessageMemory(): MessageMemory {
  const kept = new Map<number, Buffer[]>()
  const lent = new WeakSet<Buffer>()
  let keptBytes = 0

  return {
    take(bytes) {
      if (bytes > SIZE_MAX) return Buffer.allocUnsafe(bytes)
      const size = Math.max(SIZE_MIN, 2 ** Math.ceil(Math.log2(bytes)))
      const again = kept.get(size)?.pop()
      if (again !== undefined) keptBytes -= size
      const taken = (again ?? Buffer.allocUnsafeSlow(size)).subarray(0, bytes)
      lent.add(taken)
      return taken
    },
    giveBack(taken) {
      const size = taken.buffer.byteLength
      // Given back twice, it would be two messages at once.
      if (!lent.delete(taken) || keptBytes + size > KEPT_BYTES_MAX) return
      keptBytes += size
      const whole = Buffer.from(taken.buffer)
      const others = kept.get(size)
      if (others === undefined) kept.set(size, [whole])
      else others.push(whole)
    },
  }
}

/** That of this process. */
export const messageMemory = createMessageMemory()
