/** Kept from one use to the next; what is larger is made for the one use. */
const KEPT_BYTES_MAX = 1_024 * 1_024

/**
 * Memory for one synchronous step at a time: each call may answer the same bytes, so that what is in them must be read or
 * copied before the next call. A buffer a message would have the collector run through the whole heap several times a
 * second: it goes by the bytes that buffers take.
 */
export function createScratch(): (bytes: number) => Buffer {
  let kept = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > KEPT_BYTES_MAX) return Buffer.allocUnsafe(bytes)
    // By doubling, so that slowly growing messages do not each make it anew.
    if (bytes > kept.length) kept = Buffer.allocUnsafeSlow(Math.min(KEPT_BYTES_MAX, 2 * bytes))
    return kept.subarray(0, bytes)
  }
}
