import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findingsIn, type SourceFile } from './import-rules.ts'

/*
 * Part of `npm run check`: holds every source file to the import rules of CONTRIBUTING.md. One line per finding; exit 1
 * when there is one.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE_DIRS = ['server', 'test', 'bench', 'bin']
const SOURCE = /\.[jt]s$/

const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const findings = findingsIn(await sourceFiles(), new Set(Object.keys(manifest.dependencies)))
for (const { path, line, message } of findings) console.error(`${path}:${line} ${message}`)
if (findings.length > 0) {
  console.error(`${findings.length} findings. The rules are in CONTRIBUTING.md, "What may import what".`)
  process.exitCode = 1
}

async function sourceFiles(): Promise<SourceFile[]> {
  const trees = await Promise.all(
    SOURCE_DIRS.map(async (directory) => {
      const names = await readdir(join(ROOT, directory), { recursive: true })
      return names.filter((name) => SOURCE.test(name)).map((name) => join(directory, name))
    }),
  )
  return Promise.all(
    trees
      .flat()
      .sort()
      .map(async (path) => ({ path: path.split(sep).join('/'), text: await readFile(join(ROOT, path), 'utf8') })),
  )
}
