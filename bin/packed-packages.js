import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/*
 * Where packages stand that `bin/pack-packages.js` has put into few files: a start reads some fifty in place of 1,500. The place is
 * named for what `npm ci` lays out and for the list, so that it is never out of date; without it packages are loaded as they lie.
 */

const LOCKFILE = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const PLACES = fileURLToPath(new URL('../node_modules/.cache/postroom-packed/', import.meta.url))
const STAMP_CHARS = 16

/** What is imported at every start and by many commands, as our files spell it. */
export const PACKED = [
  '@fastify/accepts',
  '@fastify/busboy',
  '@fastify/compress',
  '@fastify/swagger',
  '@fastify/type-provider-typebox',
  '@opentelemetry/api',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  'commander',
  'csv-stringify/sync',
  'fast-json-stringify',
  'fastify',
  'html-to-text',
  'htmlparser2',
  'kysely',
  'lru-cache',
  'nodemailer',
  'nodemailer/lib/dkim/index.js',
  'nodemailer/lib/mail-composer/index.js',
  'pg',
  'pg-boss',
  'pg-copy-streams',
  'pino',
  'postal-mime',
  'secure-json-parse',
  'typebox',
  'typebox/compile',
  'typebox/error',
  'typebox/format',
  'typebox/value',
  'undici',
]

/** The directory of the pack that fits what is installed, whether it is there or not. */
export function placeOfPack() {
  const lockfile = readFileSync(LOCKFILE)
  const stamp = createHash('sha256').update(lockfile).update(PACKED.join('\n')).digest('hex')
  return `${PLACES}${stamp.slice(0, STAMP_CHARS)}`
}

/**
 * The file of what is imported under a name.
 * @param {string} specifier
 */
export const fileOfPacked = (specifier) => `${specifier.replaceAll('/', '__')}.mjs`

/**
 * The URLs of what is packed, by the names it is imported under; none where nothing is.
 * @returns {ReadonlyMap<string, string>}
 */
export function findPacked() {
  try {
    const place = placeOfPack()
    const there = new Set(readdirSync(place))
    const { href } = pathToFileURL(`${place}/`)
    const names = PACKED.filter((specifier) => there.has(fileOfPacked(specifier)))
    return new Map(names.map((specifier) => [specifier, href + fileOfPacked(specifier)]))
  } catch {
    return new Map()
  }
}
