import { copyFile, open, stat, truncate } from 'node:fs/promises'

const LOG_BYTES_MAX = 10 * 1024 * 1024
const TAIL_BYTES = 16 * 1024

/** Size of the server's log, 0 when there is none yet. */
export async function logSize(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found?.size ?? 0
}

/**
 * Keeps one older log besides the current one, of 10 MB each. The server goes on writing into the emptied file: it was
 * opened for appending. Lines written in between the two steps are lost.
 */
export async function trimLog(path: string): Promise<void> {
  if ((await logSize(path)) <= LOG_BYTES_MAX) return
  await copyFile(path, `${path}.old`)
  await truncate(path)
}

/** The last that the server wrote after a position, at most 16 KB. */
export async function tailOf(path: string, fromByte: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(fromByte, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

const DISK_FULL = /No space left on device|Check free disk space/
/** Whether the server says after a position that it ran out of space; whatever asked it then hears only that it is gone. */
export async function ranOutOfSpace(path: string, fromByte: number): Promise<boolean> {
  return DISK_FULL.test(await tailOf(path, fromByte))
}

const FAULT = /^.*?\b(FATAL|PANIC|ERROR|error): +/

/** Why a program gave up: the first fault it names, which the others follow from, else its last line (the loader's). */
export function reasonIn(output: string): string | undefined {
  if (DISK_FULL.test(output)) return 'no space left on the disk'
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return (lines.find((line) => FAULT.test(line)) ?? lines.at(-1))?.replace(FAULT, '')
}
