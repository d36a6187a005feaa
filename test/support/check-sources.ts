import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commentFindings } from './comment-rules.ts'
import { dashboardFindings } from './dashboard-rules.ts'
import { findingsIn } from './import-rules.ts'
import { expressionFindings } from './linear-expressions.ts'
import { rollingFindings } from './migration-rules.ts'
import { mapFindings } from './module-map.ts'
import { nameFindings } from './named-files.ts'
import { SDK_SOURCES, sdkFindings } from './sdk-rules.ts'
import type { SourceFile } from './source-files.ts'
import { migrationFindings, sqlFindings } from './sql-rules.ts'

/*
 * Part of `npm run check`: holds every source file to the rules of CONTRIBUTING.md, and what CONTRIBUTING.md, ARCHITECTURE.md and
 * README.md say of files, modules and tables to the sources. One line per finding; exit 1 when there is one.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE_DIRS = ['server', 'test', 'bench', 'bin', 'tracker', 'sdk/src']
/** Nobody writes them: they are as long as the API has it. */
const GENERATED = `${SDK_SOURCES}/`
const OTHER_DIRS = ['migrations', 'docs', 'ops', '.ci', 'dashboard']
const DASHBOARD = /^dashboard\/(?!dist\/).+\.(tsx?|css)$/
const MODULE = /^server\/modules\/([^/]+)\/module\.ts$/
const SOURCE = /\.[jt]s$/

const [top, sourcePaths, otherPaths] = await Promise.all([readdir(ROOT), filesIn(SOURCE_DIRS), filesIn(OTHER_DIRS)])
const [sources, dashboard, migrations, documents] = await Promise.all([
  read(sourcePaths.filter((path) => SOURCE.test(path) && !path.startsWith(GENERATED))),
  read(otherPaths.filter((path) => DASHBOARD.test(path))),
  read(otherPaths.filter((path) => path.startsWith('migrations/'))),
  read(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']),
])
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const findings = [
  ...findingsIn(sources, new Set(Object.keys(manifest.dependencies))),
  ...dashboardFindings(dashboard, new Set(sourcePaths.flatMap((path) => MODULE.exec(path)?.[1] ?? []))),
  ...sdkFindings(sources),
  ...sqlFindings(sources),
  ...migrationFindings(migrations),
  ...rollingFindings(migrations),
  ...commentFindings(sources),
  ...mapFindings(documents.find(({ path }) => path === 'ARCHITECTURE.md')!.text, sources, migrations),
  ...(await expressionFindings(sources)),
  ...numberFindings(migrations),
  ...nameFindings(documents, [...top, ...sourcePaths, ...otherPaths]),
]
for (const { path, line, message } of findings) console.error(`${path}:${line} ${message}`)
if (findings.length > 0) {
  console.error(`${findings.length} findings. The rules are in CONTRIBUTING.md, "What may import what".`)
  process.exitCode = 1
}

/** Of two migrations with one number only one would run: two people have taken the next one at the same time. */
function numberFindings(migrations: readonly SourceFile[]) {
  const numberOf = (path: string) => path.split(/[/_]/, 2)[1]
  return migrations.flatMap(({ path }, n) =>
    migrations.slice(0, n).some((earlier) => numberOf(earlier.path) === numberOf(path))
      ? [{ path, line: 1, message: `another migration has the number ${numberOf(path)}: take the next free one` }]
      : [],
  )
}

async function filesIn(directories: readonly string[]): Promise<string[]> {
  const trees = await Promise.all(
    directories.map(async (directory) => {
      const entries = await readdir(join(ROOT, directory), { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      return files.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length).split(sep).join('/'))
    }),
  )
  return trees.flat().sort()
}

function read(paths: readonly string[]): Promise<SourceFile[]> {
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })))
}
