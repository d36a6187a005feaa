import { headOf, mannerOf, outsideStatements, partsOf } from '../../server/platform/db/migration-manner.ts'
import type { Finding, SourceFile } from './source-files.ts'

/** Migrations up to this number are those of the first release: no version runs while they do. */
const FIRST_RELEASE = 60
/** The last one that may go through rows of tables while it keeps others from one. */
const LAST_IN_ONE = 163
const KEEPS = /^-- keeps (\d{4}|none: .+)$/m
const CONTRACTS = /^-- contracts: .+$/m
const TABLE = '(?:if exists )?(?:only )?([a-z_]+)'
/** Statements that take a lock for which everybody else at the table waits. */
const LOCKS = [
  new RegExp(`^alter table ${TABLE}`),
  /^create (?:or replace )?(?:constraint )?trigger [a-z_]+ .*? on ([a-z_]+)/,
  /^drop trigger (?:if exists )?[a-z_]+ on ([a-z_]+)/,
  /^create policy [a-z_]+ on ([a-z_]+)/,
  new RegExp(`^(?:drop|lock|truncate) table ${TABLE}`),
]
const INDEX = /^create (?:unique )?index (?!concurrently)(?:if not exists )?[a-z_]* ?on (?:only )?([a-z_]+)/
/** Statements after which the version before finds something missing or refused. */
const CONTRACTING =
  /\bdrop (?:table|column|function|constraint)\b|\brename (?:to|column|constraint)\b|\balter column [a-z_]+ (?:type|set data type|set not null)\b/

/** Statements that take as long as there are rows. */
const GOES_THROUGH =
  /^(?:with|update|delete from)\b|^insert into\b.*\bfrom\b|\bvalidate constraint\b|\bset not null\b|\badd (?:constraint [a-z_]+ )?(?:check|foreign key)\b(?!.* not valid$)/

/** Everything in migrations after the first release that a rolling upgrade would stumble over (CONTRIBUTING.md). */
export function rollingFindings(migrations: readonly SourceFile[]): Finding[] {
  const made = new Set<string>()
  const findings: Finding[] = []
  for (const { path, text } of migrations.toSorted((a, b) => a.path.localeCompare(b.path))) {
    const number = Number(/(\d{4})_[^/]*\.sql$/.exec(path)?.[1])
    const statements = statementsOf(text)
    const own = new Set(
      statements.flatMap((one) => /^create (?:unlogged )?table (?:if not exists )?([a-z_]+)/.exec(one)?.[1] ?? []),
    )
    const faults =
      number > FIRST_RELEASE
        ? faultsOf({ number, text, statements }, (table) => made.has(table) && !own.has(table))
        : []
    findings.push(...faults.map((message) => ({ path, line: 1, message })))
    for (const table of own) made.add(table)
  }
  return findings
}

type Migration = { number: number; text: string; statements: readonly string[] }

function faultsOf({ number, text, statements }: Migration, isInUse: (table: string) => boolean): string[] {
  const head = headOf(text)
  const keeps = KEEPS.exec(head)?.[1]
  const faults: string[] = []
  if (keeps === undefined) faults.push('says in its head neither "-- keeps <number>" nor "-- keeps none: <why>"')
  if (Number(keeps) >= number) faults.push('keeps versions that have it already: name an earlier migration')
  if (mannerOf(text).outside) return [...faults, ...outsideFaults(text)]

  const hot = new Set(statements.flatMap(lockedBy).filter(isInUse))
  if (hot.size > 1) faults.push(`locks ${[...hot].join(' and ')} in one transaction: a file for each`)
  const indexed = statements.flatMap((one) => INDEX.exec(one)?.[1] ?? []).filter(isInUse)
  for (const table of indexed)
    faults.push(`makes an index on ${table}, whose writers would wait: concurrently, in a file outside a transaction`)
  if (statements.some((one) => /\bconcurrently\b/.test(one)))
    faults.push('has "concurrently": its head has to say "-- outside a transaction"')
  const locking = statementsOf(partsOf(text).first)
  if (number > LAST_IN_ONE && hot.size > 0 && locking.some((one) => GOES_THROUGH.test(one)))
    faults.push(
      `goes through rows while others wait for ${[...hot].join()}: below a line "-- beside others", or "not valid"`,
    )
  const isContracting = statements.some((one) => CONTRACTING.test(one) && lockedBy(one).some(isInUse))
  if (isContracting && /^\d/.test(keeps ?? '') && !CONTRACTS.test(head))
    faults.push('takes something away: its head has to say "-- contracts: <why no version that it keeps needs it>"')
  return faults
}

function outsideFaults(text: string): string[] {
  try {
    outsideStatements(text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function lockedBy(statement: string): string[] {
  return LOCKS.flatMap((lock) => lock.exec(statement)?.[1] ?? [])
}

/** Without comments and the bodies of functions, on one line each. */
function statementsOf(sql: string): string[] {
  const bare = sql.replaceAll(/\$([a-z]*)\$[\s\S]*?\$\1\$/g, "''").replaceAll(/--.*$/gm, '')
  return bare.split(';').map((one) => one.replaceAll(/\s+/g, ' ').trim().toLowerCase())
}
