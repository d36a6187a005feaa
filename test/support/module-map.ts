import { areaOf, type Finding, importsOf, isTest, lineAt, resolve, type SourceFile } from './source-files.ts'

/** A row of the table "Modules and their tables". */
type Row = { module: string; line: number; tables: string[]; dependsOn: string[] }

const MAP = 'ARCHITECTURE.md'
const HEADING = '## Modules and their tables'
const ROW = /^\| `([^`]+)` \|([^|]*)\|([^|]*)\|$/gm
/** Of a cell of tables, what only tells of those of others. */
const WRITES_OTHERS = /^(re)?writes /
const PLATFORM_ROOM = /^platform\//
const MADE = /\bcreate (?:unlogged )?table (?:if not exists )?(?!if\b)(\w+)\b(?! partition of)/gi

/**
 * Faults of the table of modules in ARCHITECTURE.md, held against the imports of the sources, types included, and the
 * tables that migrations make.
 */
export function mapFindings(map: string, sources: readonly SourceFile[], migrations: readonly SourceFile[]): Finding[] {
  const rows = rowsOf(map)
  const needs = needsOf(sources)
  const findings: Finding[] = []
  const report = (line: number, message: string) => findings.push({ path: MAP, line, message })
  for (const row of rows) {
    if (PLATFORM_ROOM.test(row.module)) continue
    const needed = needs.get(row.module)
    if (needed === undefined) {
      report(row.line, `names \`${row.module}\`, which is no folder of server/modules`)
      continue
    }
    const kept = row.dependsOn.filter((name) => needed.has(name))
    const missing = [...needed].filter((name) => !kept.includes(name)).sort()
    if (missing.length === 0 && kept.length === row.dependsOn.length) continue
    report(row.line, `"Depends on" of \`${row.module}\` must be: ${listOf([...kept, ...missing]) || 'nothing'}`)
  }
  const end = lineAt(map, map.trimEnd().length)
  for (const module of needs.keys()) {
    if (!rows.some((row) => row.module === module)) report(end, `has no row for the module \`${module}\``)
  }
  return [...findings, ...ownerFindings(rows, [...migrations, ...sources])]
}

function ownerFindings(rows: readonly Row[], sources: readonly SourceFile[]): Finding[] {
  const findings: Finding[] = []
  const made = new Map<string, Pick<Finding, 'path' | 'line'>>()
  for (const { path, text } of sources) {
    if (isTest(path)) continue
    for (const match of text.matchAll(MADE)) made.set(match[1]!, { path, line: lineAt(text, match.index) })
  }
  for (const [table, place] of made) {
    const owners = rows.filter((row) => row.tables.includes(table)).map(({ module }) => `\`${module}\``)
    if (owners.length === 1) continue
    const message = owners.length === 0 ? 'no owner' : `${owners.length} owners (${owners.join(', ')})`
    findings.push({ ...place, message: `makes \`${table}\`, which has ${message} in ${MAP}: exactly one row names it` })
  }
  for (const { module, line, tables } of rows) {
    for (const table of tables) {
      if (!made.has(table))
        findings.push({ path: MAP, line, message: `\`${module}\` owns \`${table}\`, which nothing makes` })
    }
  }
  return findings
}

/** For each module the others that its files import, as values or as types. */
function needsOf(sources: readonly SourceFile[]): Map<string, Set<string>> {
  const needs = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    const { module } = areaOf(path)
    if (module === undefined || isTest(path)) continue
    const needed = needs.get(module) ?? new Set<string>()
    needs.set(module, needed)
    for (const { specifier } of importsOf(text)) {
      const other = specifier.startsWith('.') ? areaOf(resolve(path, specifier)).module : undefined
      if (other !== undefined && other !== module) needed.add(other)
    }
  }
  return needs
}

function rowsOf(map: string): Row[] {
  const from = map.indexOf(HEADING)
  const to = map.indexOf('\n## ', from + 1)
  const section = map.slice(from, to < 0 ? undefined : to)
  return [...section.matchAll(ROW)].map((match) => ({
    module: match[1]!,
    line: lineAt(map, from + match.index),
    tables: match[2]!
      .split(';')
      .filter((clause) => !WRITES_OTHERS.test(clause.trim()) && !clause.includes('the schema'))
      .flatMap(namesIn),
    dependsOn: namesIn(match[3]!),
  }))
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
