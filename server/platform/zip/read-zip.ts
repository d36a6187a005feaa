import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type ByteSource, readRange } from '../bytes/byte-source.ts'

/** A file in an archive. */
export type ZipEntry = {
  path: string
  /** Its bytes, unpacked while they are read. Throws a `ZipError` behind so many. */
  unpack(bytesMax: number): AsyncGenerator<Buffer>
}

/** An archive that cannot be read; the message is a sentence about it. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
const COMMENT_BYTES_MAX = 65_535
const ENTRIES_MAX = 65_534
/** Of so many files with names of 200 letters. */
const DIRECTORY_BYTES_MAX = 16 * 1_048_576
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const UTF8_NAMES = 0x800

/**
 * Files of a ZIP archive (APPNOTE 6.3), by its directory at the end: nothing but that is in memory. Throws a `ZipError` for what is
 * no archive, or larger than this format was made for; an encrypted file throws when it is unpacked.
 */
export async function readZip(archive: ByteSource): Promise<ZipEntry[]> {
  const { count, directory } = await directoryOf(archive)
  const entries: ZipEntry[] = []
  let at = 0
  for (let n = 0; n < count; n++) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL) throw damaged()
    const nameBytes = directory.readUInt16LE(at + 28)
    const next = at + CENTRAL_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    const isUtf8 = (directory.readUInt16LE(at + 8) & UTF8_NAMES) !== 0
    const path = directory.toString(isUtf8 ? 'utf8' : 'latin1', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
    const place: Place = {
      path,
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      local: directory.readUInt32LE(at + 42),
    }
    if (!path.endsWith('/'))
      entries.push({ path, unpack: (bytesMax) => atMost(unpacked(archive, place), path, bytesMax) })
    at = next
  }
  return entries
}

/** The bytes of a small file. */
export async function unpackWhole(entry: ZipEntry, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of entry.unpack(bytesMax)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const damaged = () => new ZipError('it is damaged')

async function directoryOf(archive: ByteSource): Promise<{ count: number; directory: Buffer }> {
  const tail = await readRange(archive, Math.max(0, archive.bytes - END_BYTES - COMMENT_BYTES_MAX), archive.bytes)
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue
    const count = tail.readUInt16LE(at + 10)
    const bytes = tail.readUInt32LE(at + 12)
    const from = tail.readUInt32LE(at + 16)
    if (count > ENTRIES_MAX || bytes > DIRECTORY_BYTES_MAX) throw new ZipError('it has more files than are read')
    return { count, directory: await readRange(archive, from, Math.min(from + bytes, archive.bytes)) }
  }
  throw new ZipError('it is no ZIP archive')
}

type Place = { path: string; flags: number; method: number; packed: number; local: number }

async function* unpacked(archive: ByteSource, place: Place): AsyncGenerator<Buffer> {
  const { path, flags, method } = place
  if (flags & ENCRYPTED) throw new ZipError(`${path} is encrypted`)
  if (method !== STORED && method !== DEFLATED) throw new ZipError(`${path} is packed in a way that is not read`)
  if (method === STORED) return yield* packedBytes(archive, place)
  // A fault of either is thrown where the last of them is read.
  const inflated = pipeline(packedBytes(archive, place), createInflateRaw(), () => undefined)
  try {
    yield* inflated as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError(`${path} is damaged`, { cause: error })
  }
}

/** The bytes of a file as they are in the archive, behind a header whose length it says itself. */
async function* packedBytes(archive: ByteSource, { packed, local }: Place): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0)
  let begin: number | undefined
  let left = packed
  for await (const piece of archive.from(local)) {
    let rest = piece
    if (begin === undefined) {
      head = Buffer.concat([head, piece])
      if (head.length < LOCAL_BYTES) continue
      if (head.readUInt32LE(0) !== LOCAL) throw damaged()
      begin = LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
      rest = head
    }
    const content = rest.subarray(begin, begin + left)
    begin = Math.max(0, begin - rest.length)
    left -= content.length
    if (content.length > 0) yield content
    if (left === 0) return
  }
  throw damaged()
}

async function* atMost(pieces: AsyncIterable<Buffer>, path: string, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > bytesMax) throw new ZipError(`${path} has more than ${bytesMax} bytes`)
    yield piece
  }
}
