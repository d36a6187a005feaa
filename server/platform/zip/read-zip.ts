import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/** A file in an archive; `read` unpacks it. */
export type ZipEntry = { path: string; bytes: number; read(): Promise<Buffer> }

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
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const UTF8_NAMES = 0x800

const inflate = promisify(inflateRaw)

/**
 * Files of a ZIP archive (APPNOTE 6.3), by its directory at the end. `bytesMax` is what one of them may unpack to, whatever the
 * directory says. Throws a `ZipError` for what is no archive, is encrypted, or is larger than this format was made for.
 */
export function readZip(archive: Buffer, { bytesMax }: { bytesMax: number }): ZipEntry[] {
  const end = endOf(archive)
  const count = archive.readUInt16LE(end + 10)
  if (count > ENTRIES_MAX) throw new ZipError('it has more files than are read')
  const entries: ZipEntry[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let n = 0; n < count; n++) {
    if (at + CENTRAL_BYTES > archive.length || archive.readUInt32LE(at) !== CENTRAL) throw new ZipError('it is damaged')
    const nameBytes = archive.readUInt16LE(at + 28)
    const next = at + CENTRAL_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    const isUtf8 = (archive.readUInt16LE(at + 8) & UTF8_NAMES) !== 0
    const path = archive.toString(isUtf8 ? 'utf8' : 'latin1', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
    if (!path.endsWith('/')) entries.push(entryAt(archive, { at, path, bytesMax }))
    at = next
  }
  return entries
}

function endOf(archive: Buffer): number {
  const last = archive.length - END_BYTES
  for (let at = last; at >= Math.max(0, last - COMMENT_BYTES_MAX); at--) {
    if (archive.readUInt32LE(at) === END) return at
  }
  throw new ZipError('it is no ZIP archive')
}

type Place = { at: number; path: string; bytesMax: number }

function entryAt(archive: Buffer, { at, path, bytesMax }: Place): ZipEntry {
  const flags = archive.readUInt16LE(at + 8)
  const method = archive.readUInt16LE(at + 10)
  const packed = archive.readUInt32LE(at + 20)
  const bytes = archive.readUInt32LE(at + 24)
  const local = archive.readUInt32LE(at + 42)
  return {
    path,
    bytes,
    async read() {
      if (flags & ENCRYPTED) throw new ZipError(`${path} is encrypted`)
      if (method !== STORED && method !== DEFLATED) throw new ZipError(`${path} is packed in a way that is not read`)
      if (local + LOCAL_BYTES > archive.length || archive.readUInt32LE(local) !== LOCAL)
        throw new ZipError('it is damaged')
      const begin = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      if (begin + packed > archive.length) throw new ZipError('it is damaged')
      const content = archive.subarray(begin, begin + packed)
      if (method === STORED) return content
      return inflate(content, { maxOutputLength: bytesMax }).catch((cause: NodeJS.ErrnoException) => {
        const isLarge = cause.code === 'ERR_BUFFER_TOO_LARGE'
        throw new ZipError(isLarge ? `${path} has more than ${bytesMax} bytes` : `${path} is damaged`, { cause })
      })
    },
  }
}
