import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './db/errors.ts'

/**
 * Makes a directory and those above it that are missing; answers the first that it made, undefined where all were there. That of
 * Node.js never ends where a directory that is there answers that it is not, as /proc does.
 */
export async function makeDirectory(path: string, mode: number): Promise<string | undefined> {
  try {
    return await makeOne(path, mode)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
  }
  const first = await makeDirectory(dirname(path), mode)
  const made = await makeOne(path, mode)
  return first ?? made
}

/** Undefined where it is there. */
async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode })
    return path
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    const found = await stat(path).catch((cause: unknown) => {
      throw Object.assign(new Error(`${path} is a link that leads nowhere`, { cause }), { code: 'ENOLINK', path })
    })
    if (found.isDirectory()) return undefined
    throw error
  }
}
