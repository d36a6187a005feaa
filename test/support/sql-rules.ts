import { posix } from 'node:path'
import { areaOf, type Finding, importsOf, isTest, lineAt, resolve, type SourceFile } from './source-files.ts'

/** Statements and their only user stay apart when the file of both would have more lines. */
const TOGETHER_LINES_MAX = 150
const QUERY_FILE = /^(.+-)?queries\.ts$/
/** Files that say what there is: routes, schemas, tables of contents. */
const DECLARATIONS = /^((.+-)?(routes|schemas)|api|site|collect|module)\.ts$/
const STATEMENT = /[`']\s*(select|insert into|update \w+ set|delete from|with (recursive )?\w+ as)\b/i
/** Tables that only rooms of the platform read and write; the log itself is read by consumers. */
const PLATFORM_TABLE =
  /\b(?:from|join|into|update)\s+(jobs\.\w+|outbox_(?:cursors|parked|cluster)|rate_counts|schema_migrations)\b/gi

/** Words between which a row is found in one way. */
const CLAUSE = /\b(?:select|from|where|returning|update|join)\b/
/** A time of a row compared with that of another one: `d.at = c.at`. */
const BY_JOIN = /\b((?:\w+\.)?(?:\w+_at|at|day)) = \w+\.\w+/g
/** A time of a row compared with a parameter or with now: `d.at >= $1`. */
const BY_PARAMETER = /\b((?:\w+\.)?(?:\w+_at|at|day)) [<>]=? (?:\$|now\()/g

/** Everything in the files of modules that breaks the rules of CONTRIBUTING.md on where SQL stands. */
export function sqlFindings(files: readonly SourceFile[]): Finding[] {
  const inModules = files.filter(({ path }) => areaOf(path).layer === 'modules' && !isTest(path))
  return [...inModules.flatMap(placeFindings), ...loneFindings(inModules)]
}

function placeFindings({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = []
  const name = posix.basename(path)
  const statement = DECLARATIONS.test(name) ? text.search(STATEMENT) : -1
  if (statement >= 0) {
    const message = `has a statement: ${name} declares, SQL stands below the operation that uses it`
    findings.push({ path, line: lineAt(text, statement), message })
  }
  for (const match of text.matchAll(PLATFORM_TABLE)) {
    findings.push({
      path,
      line: lineAt(text, match.index),
      message: `names ${match[1]}: its statements are the platform's`,
    })
  }
  findings.push(...prunedTwice({ path, text }))
  return findings
}

/** Rows of a table in partitions that are found by the time of another row and by parameters at once. */
function prunedTwice({ path, text }: SourceFile): Finding[] {
  let index = 0
  return text.split(CLAUSE).flatMap((clause) => {
    const at = text.indexOf(clause, index)
    index = at + clause.length
    const given = new Set(Array.from(clause.matchAll(BY_PARAMETER), ([, column]) => column))
    return Array.from(clause.matchAll(BY_JOIN))
      .filter(([, column]) => given.has(column))
      .map(([, column]) => ({
        path,
        line: lineAt(text, at),
        message: `compares ${column} by a join and by parameters at once: a partitioned table is pruned in one way (spanOf)`,
      }))
  })
}

/** Query files with one user, which is short enough to hold its statements itself. */
function loneFindings(files: readonly SourceFile[]): Finding[] {
  const users = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    for (const { specifier } of importsOf(text)) {
      if (!specifier.startsWith('.')) continue
      const target = resolve(path, specifier)
      users.set(target, (users.get(target) ?? new Set()).add(path))
    }
  }
  const linesOf = new Map(files.map(({ path, text }) => [path, text.split('\n').length - 1]))
  return files.flatMap(({ path }) => {
    const [user, ...others] = users.get(path) ?? []
    if (!QUERY_FILE.test(posix.basename(path)) || user === undefined || others.length > 0) return []
    const lines = linesOf.get(path)! + linesOf.get(user)!
    if (lines > TOGETHER_LINES_MAX) return []
    return [{ path, line: 1, message: `is used by ${user} alone: its statements stand there, below what uses them` }]
  })
}

/** A migration with the number of another one: a database that has one of them would never get the other. */
export function migrationFindings(migrations: readonly SourceFile[]): Finding[] {
  const numberOf = ({ path }: SourceFile) => /(\d{4})_[^/]*\.sql$/.exec(path)?.[1]
  return migrations.flatMap((migration, index) => {
    const taken = migrations.slice(0, index).find((other) => numberOf(other) === numberOf(migration))
    if (taken === undefined) return []
    return [{ path: migration.path, line: 1, message: `has the number of ${taken.path}: take the next free one` }]
  })
}
