import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { builtDashboard } from './built-dashboard.ts'

/*
 * Bytes that a page costs, by the build's own manifest: as they travel, compressed by brotli. kB = 1000 bytes. Scripts for
 * the pages of others are held to theirs by gzip, which every browser and proxy has.
 */

const FIRST_ROUTE = 'features/contacts/contacts-page.tsx'
const FIRST_JS_BYTES_MAX = 165_000
const FIRST_CSS_BYTES_MAX = 25_000
const OTHER_BYTES_MAX = 40_000
const EDITOR_BYTES_MAX = 265_000
const TRACKER_BYTES_MAX = 3_000
const FLOW_BYTES_MAX = 70_000
/** With the solver of challenges. */
const FORMS_BYTES_MAX = 4_000
/** The editor of mails: with the code and its completion, words as they are read, and what opens over it. */
const EDITOR = [
  'features/templates/mail-editor.tsx',
  'features/templates/prose/prose-editor.tsx',
  'features/templates/blocks/saved-blocks.tsx',
  'features/templates/blocks/save-block.tsx',
]
/** Pages that bring an editor or a canvas of their own, by the beginning of their path. */
const HEAVY: Readonly<Record<string, number>> = {
  'features/templates/mail-editor': EDITOR_BYTES_MAX,
  'features/templates/prose/prose-editor': EDITOR_BYTES_MAX,
  'features/templates/blocks/': EDITOR_BYTES_MAX,
  'features/templates/template-versions': EDITOR_BYTES_MAX,
  // The canvas's parts that open over it or beside it are counted with what they share with it.
  'features/automations/builder/': FLOW_BYTES_MAX,
  // A view within the builder, whose bytes are counted with it.
  'features/automations/scenarios/scenarios-view': FLOW_BYTES_MAX + 4_000,
}

type Chunk = {
  file: string
  css?: string[]
  imports?: string[]
  dynamicImports?: string[]
  isDynamicEntry?: boolean
  isEntry?: boolean
}

const directory = await builtDashboard()
const manifest = JSON.parse(await readFile(path.join(directory, '.vite', 'manifest.json'), 'utf8')) as Record<
  string,
  Chunk
>

function filesOf(key: string, found = new Set<string>(), seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return found
  seen.add(key)
  const chunk = manifest[key]
  assert.ok(chunk, key)
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file)
  for (const other of chunk.imports ?? []) filesOf(other, found, seen)
  return found
}

async function bytesOf(files: Iterable<string>, suffix: string): Promise<number> {
  const sizes = await Promise.all(
    [...files]
      .filter((file) => file.endsWith(suffix))
      .map(async (file) => {
        const whole = path.join(directory, file)
        return (await stat(`${whole}.br`).catch(() => stat(whole))).size
      }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry)!
const first = new Set([...filesOf(entry), ...filesOf(FIRST_ROUTE)])

test('the first page stays within its budget', async (t) => {
  const [js, css] = [await bytesOf(first, '.js'), await bytesOf(first, '.css')]
  t.diagnostic(
    `first page: ${js} of ${FIRST_JS_BYTES_MAX} bytes of scripts, ${css} of ${FIRST_CSS_BYTES_MAX} of styles`,
  )
  assert.ok(js <= FIRST_JS_BYTES_MAX, `${js} bytes of scripts`)
  assert.ok(css <= FIRST_CSS_BYTES_MAX, `${css} bytes of styles`)
})

test('the tracker stays within its budget', async (t) => {
  const { length } = gzipSync(await readFile(path.join(directory, 'scripts', 't.js')), { level: 9 })
  t.diagnostic(`t.js: ${length} of ${TRACKER_BYTES_MAX} bytes`)
  assert.ok(length <= TRACKER_BYTES_MAX, `${length} bytes`)
})

test('the script of forms stays within its budget', async (t) => {
  const { length } = gzipSync(await readFile(path.join(directory, 'scripts', 'f.js')), { level: 9 })
  t.diagnostic(`f.js: ${length} of ${FORMS_BYTES_MAX} bytes`)
  assert.ok(length <= FORMS_BYTES_MAX, `${length} bytes`)
})

/** Bytes that these bring which the first page has not. */
async function bytesMore(keys: readonly string[]): Promise<number> {
  const more = new Set(keys.flatMap((key) => [...filesOf(key)]).filter((file) => !first.has(file)))
  return (await bytesOf(more, '.js')) + (await bytesOf(more, '.css'))
}

test('the whole editor of mails stays within its budget', async (t) => {
  const bytes = await bytesMore(EDITOR)
  t.diagnostic(`the editor of mails: ${bytes} of ${EDITOR_BYTES_MAX} bytes more`)
  assert.ok(bytes <= EDITOR_BYTES_MAX, `${bytes} bytes`)
})

test('every other page adds little', async (t) => {
  const pages = Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry)
  for (const page of pages) {
    const bytes = await bytesMore([page])
    const [, allowed = OTHER_BYTES_MAX] = Object.entries(HEAVY).find(([start]) => page.startsWith(start)) ?? []
    t.diagnostic(`${page}: ${bytes} of ${allowed} bytes more`)
    assert.ok(bytes <= allowed, `${page} adds ${bytes} bytes`)
  }
})
