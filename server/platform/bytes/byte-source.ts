import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Bytes that are read where they are needed, and are never in memory as a whole. */
export type ByteSource = {
  bytes: number
  /** Everything from a byte on, piece by piece. It may be left early. */
  from(at: number): AsyncIterable<Buffer>
}

export function bytesInMemory(content: Buffer): ByteSource {
  return {
    bytes: content.length,
    async *from(at) {
      yield content.subarray(at)
    },
  }
}

/** Throws where there is no such file. */
export async function bytesOfFile(path: string): Promise<ByteSource> {
  const { size } = await stat(path)
  return { bytes: size, from: (start) => createReadStream(path, { start }) as AsyncIterable<Buffer> }
}

/** Bytes from one place to another; fewer where the source ends before. */
export async function readRange(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let missing = to - from
  if (missing <= 0) return Buffer.alloc(0)
  for await (const piece of source.from(from)) {
    pieces.push(piece.subarray(0, missing))
    missing -= piece.length
    if (missing <= 0) break
  }
  return Buffer.concat(pieces)
}
