#!/usr/bin/env node
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Builds the dashboard and the scripts of other sites' pages, when what they are made of has changed: in `npm ci` (prepare), before tests, and beside a server that
 * was started without a build. Plain JavaScript, for the Node.js that `npm ci` is run by may be older than ours. Without
 * Vite (`--omit=dev`, or `--omit=optional`, which leaves it without its compiler) it says so in one line; an installation
 * never fails for it. Builds stand side by side, each complete before `current` names it, so that several may run at once.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCES = join(ROOT, 'dashboard')
const TRACKER = join(ROOT, 'tracker')
const BUILDS = join(SOURCES, 'dist')
const CURRENT = join(BUILDS, 'current')
const STAMP_CHARS = 16
const COMPRESSED = /\.(?:js|css|svg)$/
const COMPRESSED_BYTES_MIN = 500
/** Of brotli: the best, two percent less than the next, for a second more. */
const BROTLI_QUALITY = 11

const isLoud = process.argv.includes('--loud')
const isInstall = process.env.npm_lifecycle_event === 'prepare'

try {
  await main()
} catch (error) {
  const [line] = String(error instanceof Error ? error.message : error).split('\n')
  console.error(`postroom: the dashboard is not built (${line}); the API works without it`)
  process.exitCode = isInstall ? 0 : 1
}

async function main() {
  if (!existsSync(SOURCES)) return
  const stamp = await stampOf()
  const before = await readFile(CURRENT, 'utf8').catch(() => '')
  if (before.trim() === stamp && existsSync(join(BUILDS, stamp, 'index.html'))) {
    // So that the next look at times finds it newer. Another user's checkout, or an image, cannot be told, and is as good.
    await utimes(CURRENT, new Date(), new Date()).catch(() => undefined)
    if (isLoud) console.log(`The dashboard is up to date (${stamp}).`)
    return
  }
  const { build } = await import('vite')
  const target = join(BUILDS, stamp)
  if (!existsSync(join(target, 'index.html'))) {
    const scratch = join(BUILDS, `.${process.pid}-${Date.now()}`)
    try {
      const scripts = join(scratch, 'scripts')
      for (const [sources, outDir] of [
        [SOURCES, scratch],
        [TRACKER, scripts],
        [join(TRACKER, 'forms'), scripts],
      ]) {
        await build({
          configFile: join(sources, 'vite.config.js'),
          logLevel: isLoud ? 'info' : 'warn',
          // The folder is a new one, which they share.
          build: { outDir, emptyOutDir: false },
        })
      }
      await compressAll(scratch)
      await rename(scratch, target).catch((error) => {
        // Somebody else has just made the same.
        if (!existsSync(join(target, 'index.html'))) throw error
      })
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
  const pointer = join(BUILDS, `.current-${process.pid}`)
  await writeFile(pointer, `${stamp}\n`)
  await rename(pointer, CURRENT)
  await removeOthers(new Set([stamp, before.trim()]))
  if (isLoud) console.log(`The dashboard is built (${stamp}).`)
}

/** A hash of everything that a build follows from. */
async function stampOf() {
  const trees = [SOURCES, TRACKER].map((from) => readdir(from, { recursive: true, withFileTypes: true }))
  const paths = (await Promise.all(trees))
    .flat()
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(BUILDS))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
  const hash = createHash('sha256')
  for (const path of [...paths, join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(path.slice(ROOT.length)).update('\0')
    hash.update(await readFile(path)).update('\0')
  }
  return hash.digest('hex').slice(0, STAMP_CHARS)
}

/** @param {string} directory */
async function compressAll(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && COMPRESSED.test(entry.name))
  await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))))
}

/** @param {string} path */
async function compress(path) {
  const bytes = await readFile(path)
  if (bytes.length < COMPRESSED_BYTES_MIN) return
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, quality), promisify(gzip)(bytes, { level: 9 })])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
}

/**
 * The build before stays for pages that were loaded from it.
 * @param {Set<string>} kept
 */
async function removeOthers(kept) {
  await mkdir(BUILDS, { recursive: true })
  for (const name of await readdir(BUILDS)) {
    if (/^[0-9a-f]{16}$/.test(name) && !kept.has(name)) await rm(join(BUILDS, name), { recursive: true, force: true })
  }
}
