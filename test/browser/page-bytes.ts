import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { builtDashboard } from './built-dashboard.ts'

/*
 * Bytes that a page costs, by the build's own manifest: as they travel, compressed by brotli. kB = 1000 bytes.
 */

const FIRST_ROUTE = 'features/contacts/contacts-page.tsx'
export const FIRST_JS_BYTES_MAX = 165_000
export const FIRST_CSS_BYTES_MAX = 25_000
const OTHER_BYTES_MAX = 40_000
export const EDITOR_BYTES_MAX = 265_000
export const FLOW_BYTES_MAX = 70_000
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
  isDynamicEntry?: boolean
  isEntry?: boolean
}

export type PageBytes = {
  /** The folder of the build. */
  directory: string
  /** Of the first page. */
  js: number
  css: number
  /** Beyond the first page: the whole editor of mails, and each page with what it may bring. */
  editor: number
  others: { page: string; bytes: number; bytesMax: number }[]
}

export async function pageBytes(): Promise<PageBytes> {
  const directory = await builtDashboard()
  const text = await readFile(path.join(directory, '.vite', 'manifest.json'), 'utf8')
  const manifest = JSON.parse(text) as Record<string, Chunk>
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry)!
  const first = new Set([...filesOf(manifest, entry), ...filesOf(manifest, FIRST_ROUTE)])
  /** Bytes that these bring which the first page has not. */
  const bytesMore = async (keys: readonly string[]) => {
    const files = keys.flatMap((key) => [...filesOf(manifest, key)])
    const more = new Set(files.filter((file) => !first.has(file)))
    return (await bytesOf(directory, more, '.js')) + (await bytesOf(directory, more, '.css'))
  }
  const pages = Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry)
  return {
    directory,
    js: await bytesOf(directory, first, '.js'),
    css: await bytesOf(directory, first, '.css'),
    editor: await bytesMore(EDITOR),
    others: await Promise.all(
      pages.map(async (page) => ({ page, bytes: await bytesMore([page]), bytesMax: bytesMaxOf(page) })),
    ),
  }
}

function bytesMaxOf(page: string): number {
  const [, allowed = OTHER_BYTES_MAX] = Object.entries(HEAVY).find(([start]) => page.startsWith(start)) ?? []
  return allowed
}

function filesOf(
  manifest: Readonly<Record<string, Chunk>>,
  key: string,
  found = new Set<string>(),
  seen = new Set<string>(),
): Set<string> {
  if (seen.has(key)) return found
  seen.add(key)
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`the build has no ${key}`)
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file)
  for (const other of chunk.imports ?? []) filesOf(manifest, other, found, seen)
  return found
}

async function bytesOf(directory: string, files: Iterable<string>, suffix: string): Promise<number> {
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
