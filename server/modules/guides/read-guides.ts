import { readdir, readFile } from 'node:fs/promises'
import { once } from '../../platform/once.ts'
import { type Guide, renderGuide } from './render-guide.ts'

const ROOT = new URL('../../../', import.meta.url)
const README = 'readme'

export type Guides = {
  /** The README first, then the others by their titles. */
  all(): Promise<readonly (Guide & { name: string })[]>
  /** An example that guides name; undefined when there is none. */
  example(name: string): Promise<string | undefined>
  /** A picture of a guide, as PNG. */
  picture(name: string): Promise<Buffer | undefined>
}

/** The guides of this version, read and rendered when somebody first asks for one. */
export function createGuides(): Guides {
  return {
    all: once(readGuides),
    example: async (name) => (await fileIn('docs/examples/', name))?.toString(),
    picture: (name) => fileIn('docs/guides/pictures/', name),
  }
}

/** A file of a directory, by a name that anybody may have sent. */
async function fileIn(directory: string, name: string): Promise<Buffer | undefined> {
  const known = await readdir(new URL(directory, ROOT))
  return known.includes(name) ? await readFile(new URL(directory + name, ROOT)) : undefined
}

async function readGuides() {
  const files = (await readdir(new URL('docs/guides/', ROOT))).filter((file) => file.endsWith('.md'))
  const others = await Promise.all(files.map((file) => readGuide(file.slice(0, -'.md'.length), `docs/guides/${file}`)))
  others.sort((a, b) => a.title.localeCompare(b.title, 'en'))
  return [await readGuide(README, 'README.md'), ...others]
}

async function readGuide(name: string, path: string) {
  return { name, ...renderGuide(path, await readFile(new URL(path, ROOT), 'utf8')) }
}
