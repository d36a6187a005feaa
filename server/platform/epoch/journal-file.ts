import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { errorCode } from '../db/errors.ts'
import { makeDirectory } from '../make-directory.ts'
import { syncDirectory } from './epoch-file.ts'

/** A line: where its entry stands, and the entry, which is nothing to this file. */
export type JournalLine = { epochId: string; tx: string; id: string; entry: string }

const NAME = /^journal-\d{4}-\d{2}\.log$/
const LINE = /^([0-9a-f-]{36}) (\d{1,19}) (\d{1,19}) (\S+)$/
/** Months of which there are files: backups that are older are not restored. */
const MONTHS_MAX = 13
const TAIL_BYTES = 64 * 1024

/** Appends entries to a file a month. Once `append` has resolved they are on the disk, each line of them whole. */
export class JournalFile {
  readonly #directory: string
  #open: { name: string; handle: FileHandle; bytes: number } | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  /** The last line that is whole; undefined without any. */
  async last(): Promise<JournalLine | undefined> {
    for (const name of (await journalNames(this.#directory)).reverse()) {
      const handle = await open(join(this.#directory, name), 'r')
      try {
        const { size } = await handle.stat()
        const start = Math.max(0, size - TAIL_BYTES)
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
        const lines = buffer.toString('utf8', 0, bytesRead).split('\n').slice(0, -1)
        const read = lines.map(lineOf).filter((line) => line !== undefined)
        if (read.length > 0) return read.at(-1)
      } finally {
        await handle.close()
      }
    }
    return undefined
  }

  async append(lines: readonly JournalLine[], now = new Date()): Promise<void> {
    if (lines.length === 0) return
    const file = await this.#fileOf(now)
    const text = lines.map(({ epochId, tx, id, entry }) => `${epochId} ${tx} ${id} ${entry}\n`).join('')
    // A write that failed half-way is written over.
    await file.handle.truncate(file.bytes)
    await file.handle.write(text, file.bytes)
    await file.handle.sync()
    file.bytes += Buffer.byteLength(text)
  }

  async close(): Promise<void> {
    await this.#open?.handle.close()
    this.#open = undefined
  }

  async #fileOf(now: Date) {
    const name = `journal-${now.toISOString().slice(0, 7)}.log`
    if (this.#open?.name === name) return this.#open
    await this.close()
    await makeDirectory(this.#directory, 0o700)
    const path = join(this.#directory, name)
    const handle = await open(path, 'r+', 0o600).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      return open(path, 'w+', 0o600)
    })
    await syncDirectory(this.#directory)
    this.#open = { name, handle, bytes: await wholeBytes(handle) }
    const old = (await journalNames(this.#directory)).slice(0, -MONTHS_MAX)
    await Promise.all(old.map((one) => rm(join(this.#directory, one))))
    return this.#open
  }
}

/** Every whole line that was appended, oldest file first. */
export async function* readJournal(directory: string): AsyncGenerator<JournalLine> {
  for (const name of await journalNames(directory)) {
    for await (const text of createInterface({ input: createReadStream(join(directory, name)), crlfDelay: Infinity })) {
      const line = lineOf(text)
      if (line !== undefined) yield line
    }
  }
}

async function journalNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => NAME.test(name)).sort()
}

/** Bytes up to the end of the last whole line: what a crash left behind it counts for nothing. */
async function wholeBytes(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - TAIL_BYTES)
    const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    const at = buffer.lastIndexOf(0x0a)
    if (at >= 0) return start + at + 1
    end = start
  }
  return 0
}

function lineOf(text: string): JournalLine | undefined {
  const [, epochId, tx, id, entry] = LINE.exec(text) ?? []
  return entry === undefined ? undefined : { epochId: epochId!, tx: tx!, id: id!, entry }
}
