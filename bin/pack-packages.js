#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileOfPacked, PACKED, placeOfPack } from './packed-packages.js'

/*
 * Puts the packages that every start loads into few files, in `npm ci` (prepare): that spares a start a quarter of its processor time.
 * What two of them share is in a file of its own, so that there is one of each. Without the bundler (`--omit=dev`), or where
 * anything fails, packages are loaded as npm laid them: an installation never fails for it.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** Of modules that import a package under a name, and hand on all of it. */
const ENTRY = '\0packed:'

try {
  await pack(placeOfPack())
} catch (error) {
  const [line] = String(error instanceof Error ? error.message : error).split('\n')
  console.error(`postroom: packages are not packed (${line}); a start takes somewhat longer`)
}

/** @param {string} place */
async function pack(place) {
  if (existsSync(place)) return
  const { rolldown } = await import('rolldown').catch(() => ({ rolldown: undefined }))
  if (rolldown === undefined) return
  const scratch = `${place}.${process.pid}`
  try {
    const bundle = await rolldown({
      input: Object.fromEntries(PACKED.map((specifier) => [specifier, ENTRY + specifier])),
      cwd: ROOT,
      platform: 'node',
      // What a package does when it is loaded stays done.
      treeshake: false,
      logLevel: 'silent',
      plugins: [entries()],
    })
    await bundle.write({
      dir: scratch,
      format: 'esm',
      entryFileNames: ({ name }) => fileOfPacked(name),
      chunkFileNames: 'shared-[hash].mjs',
    })
    await bundle.close()
    await rename(scratch, place).catch((error) => {
      // Somebody else has just made the same.
      if (!existsSync(place)) throw error
    })
    await removeOthers(place)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Modules that hand on each name of a package by itself, as those need that are CommonJS.
 * @returns {import('rolldown').Plugin}
 */
function entries() {
  return {
    name: 'entries',
    resolveId(id, importer) {
      if (id.startsWith(ENTRY)) return id
      // Found from where our files find it.
      return importer?.startsWith(ENTRY) ? this.resolve(id, join(ROOT, 'server', 'config.ts')) : undefined
    },
    async load(id) {
      if (!id.startsWith(ENTRY)) return undefined
      const specifier = id.slice(ENTRY.length)
      const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports')
      return `export { ${names.join(', ')} } from '${specifier}'`
    },
  }
}

/**
 * Of packages as they were before.
 * @param {string} place
 */
async function removeOthers(place) {
  const all = dirname(place)
  for (const name of await readdir(all)) {
    if (/^[0-9a-f]{16}$/.test(name) && join(all, name) !== place)
      await rm(join(all, name), { recursive: true, force: true })
  }
}
