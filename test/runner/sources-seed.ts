import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const SOURCES = [
  '{server,test,migrations}/**/*.{ts,sql,txt}',
  'dashboard/{app,features,lib,ui}/**/*.{ts,tsx,css}',
  'package-lock.json',
]

/**
 * A number that follows from the sources alone: a run of the same sources has the same random numbers on each machine, and any
 * change brings new ones.
 */
export async function seedOfSources(root: string): Promise<number> {
  const files: string[] = []
  for await (const file of glob(SOURCES, { cwd: root })) files.push(file)
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(join(root, file)))
  return hash.digest().readUInt32BE()
}
