import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/', import.meta.url))
/** Scripts for the pages of other sites are built along with it. */
export const TRACKER_DIR = fileURLToPath(new URL('../../../tracker/', import.meta.url))
/** Builds stand side by side in it, each under the stamp of what it was made of; `current` names the one that is served. */
export const BUILDS_DIR = join(DASHBOARD_DIR, 'dist')
/** Stands in the built page wherever the nonce of an answer goes. */
const NONCE_PLACE = /__POSTROOM_NONCE__/g
/** A stamp, and a name that cannot lead out of the folder of assets. */
const STAMP = /^[0-9a-f]{16}$/
const FILE_NAME = /^\w[\w.-]{0,200}$/

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  map: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** In the order in which we would rather send them. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

export type Asset = { bytes: Buffer; type: string; encoding: string | undefined }

/** The dashboard as it was built last, read from its folder when it is asked for. */
export function createBuiltApp(directory = BUILDS_DIR) {
  let page: { stamp: string; markup: string } | undefined

  async function stamp(): Promise<string | undefined> {
    const text = (await readOr(join(directory, 'current')))?.toString().trim()
    return text !== undefined && STAMP.test(text) ? text : undefined
  }

  return {
    /** Names the build that is shown; undefined while there is none. */
    stamp,

    /** Whether there is a build to show. */
    exists: async () => (await stamp()) !== undefined,

    /** The page that loads the dashboard, with its nonce; undefined while there is no build. */
    async shell(nonce: string): Promise<string | undefined> {
      const current = await stamp()
      if (current === undefined) return undefined
      if (page?.stamp !== current) {
        const markup = await readOr(join(directory, current, 'index.html'))
        if (markup === undefined) return undefined
        page = { stamp: current, markup: markup.toString() }
      }
      return page.markup.replaceAll(NONCE_PLACE, nonce)
    },

    /** A file of the build in the best form the client takes; undefined when it has none of that name. */
    async asset(
      folder: '' | 'assets' | 'scripts',
      name: string,
      accepts: string | undefined,
    ): Promise<Asset | undefined> {
      const current = await stamp()
      if (current === undefined || !FILE_NAME.test(name)) return undefined
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
      if (type === undefined) return undefined
      const path = join(directory, current, folder, name)
      for (const { name: encoding, suffix } of ENCODINGS) {
        if (!takesEncoding(accepts, encoding)) continue
        const bytes = await readOr(path + suffix)
        if (bytes !== undefined) return { bytes, type, encoding }
      }
      const bytes = await readOr(path)
      return bytes && { bytes, type, encoding: undefined }
    },
  }
}

export type BuiltApp = ReturnType<typeof createBuiltApp>

/** Browsers name the encodings they take; one with `q=0` is refused (RFC 9110 section 12.5.3). */
export function takesEncoding(accepts: string | undefined, encoding: string): boolean {
  const part = accepts?.split(',').find((one) => one.trim().split(';', 1)[0]?.trim() === encoding)
  return part !== undefined && !/;\s*q=0(?:\.0{0,3})?\s*$/.test(part)
}

async function readOr(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
