/**
 * Some of a message's body. Text is ASCII. Bytes are in the relaxed form of DKIM (RFC 6376 section 3.4.4) already, and no
 * white space goes on from one chunk into the next.
 */
export type Chunk = string | Buffer

export function bytesOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

/** Writes them one after the other into `into`, from `at` on. */
export function writeChunks(chunks: readonly Chunk[], into: Buffer, at = 0): void {
  for (const chunk of chunks) {
    at += typeof chunk === 'string' ? into.write(chunk, at, 'latin1') : chunk.copy(into, at)
  }
}
